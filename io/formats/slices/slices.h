// Numbered 2D images in a folder or a template: the functions of their row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_slices(const std::string& path, const OpenOptions& options);
VolumeInfo describe_slices(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_slices(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_slices(const LabelVolume& volume, OutputFiles& outputs);

/// @return whether the name contains exactly one conversion %d, with optional zero padding ("s%04d.tif"), and no other '%'
bool is_slice_template(const std::string& path);

/// The names of existing slices that create_slices() would replace.
std::vector<std::string> existing_label_slices(const std::string& path, int compress, Content content);
/// Checks the existing slices, and the length of the name of the folder. @throw Error as OutputFiles::check(), cannot_create
void check_slices_output(const std::string& path, int compress, const OutputFiles& outputs, Content content);
/// Checks the names of the slices, and that the folder has no others. Does nothing if the folder does not exist.
/// @throw Error as OutputFiles::check()
void check_label_slices(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content);

}  // namespace voxcc::io
