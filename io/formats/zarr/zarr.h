// Zarr: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_zarr(const std::string& path, const OpenOptions& options);
VolumeInfo describe_zarr(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_zarr(const std::string& path, const OpenOptions& options);
std::vector<std::string> verify_zarr(const std::string& path, const OpenOptions& options);
std::unique_ptr<LabelWriter> create_zarr(const LabelVolume& volume, OutputFiles& outputs);

/// Rows of complete slices of chunks, with at most 8 Mi voxels or one slice.
std::int64_t zarr_rows_per_block(const LabelVolume& volume);
/// Checks the folder of a Zarr output, and the image of labels. @throw Error as OutputFiles::check_zarr_folder(), about the image
void check_zarr_output(const std::string& path, int compress, const OutputFiles& outputs, Content content);
/// Only the folder of the store: `path` without '/' at its end.
std::vector<std::string> files_of_zarr_output(const std::string& path, int compress, Content content);

}  // namespace voxcc::io
