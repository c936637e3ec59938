// MetaImage: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

/// @param start the first bytes of the file; 256 of them are used
// "ObjectType = Image"  ->  true
bool is_metaimage(std::span<const std::byte> start);

std::unique_ptr<VolumeReader> open_metaimage(const std::string& path, const OpenOptions& options);
VolumeInfo describe_metaimage(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_metaimage(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_metaimage(const LabelVolume& volume, OutputFiles& outputs);

/// The files that create_metaimage() creates: a .mha, or a .mhd with its .raw or .zraw file.
std::vector<std::string> files_of_metaimage_output(const std::string& path, int compress, Content content);

}  // namespace voxcc::io
