// HDF5: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options);
VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_hdf5(const LabelVolume& volume, OutputFiles& outputs);
std::int64_t hdf5_rows_per_block(const LabelVolume& volume);
/// The types of labels, smallest first. @throw Error unknown_format in a build without HDF5
std::vector<ScalarType> hdf5_label_types(const std::string& path);

}  // namespace voxcc::io
