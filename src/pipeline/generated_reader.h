// Inputs that are computed and not stored, such as "generate:blobs?shape=64,64,64&scale=3".
#pragma once
#include <voxcc/source.h>
#include "io/io.h"

namespace voxcc {

/// The description of a test volume: u8 voxels of 1 mm.
io::VolumeInfo info_of_test_volume(const TestVolumeRecipe& recipe);

/// make_test_volume(). @throw Error also out_of_memory if the machine does not have the memory that it needs
/// @param subject of this error
std::unique_ptr<TestVolume> make_within_memory(const TestVolumeRecipe& recipe, const std::string& subject);

/// Describes an input of is_generated() without its voxels. Of the options, the spacing, the volume and the reader are used.
/// @throw ProgramError invalid_argument; Error no_such_volume, unsupported_by_reader
io::VolumeInfo describe_generated(const std::string& input, const io::OpenOptions& options);

/// Opens such an input. Only the voxels that are read are computed; see TestVolume about their order.
/// @throw the exceptions of describe_generated(). Reading throws the exceptions of make_within_memory()
std::unique_ptr<io::VolumeReader> open_generated(const std::string& input, const io::OpenOptions& options);

}  // namespace voxcc
