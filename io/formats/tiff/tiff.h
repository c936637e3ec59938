// TIFF: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options);
VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_tiff(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_tiff(const LabelVolume& volume, OutputFiles& outputs);
std::int64_t tiff_rows_per_block(const LabelVolume& volume);  // multi-page files and folders of slices
/// The types of labels in TIFF and OME-TIFF files, smallest first.
std::vector<ScalarType> tiff_label_types(const std::string& path);
/// OME-TIFF files cannot have integers of 64 bits.
bool stores_tiff_values(const std::string& path, ScalarType type);

}  // namespace voxcc::io
