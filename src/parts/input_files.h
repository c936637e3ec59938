// What is known of the files of an input without their content, so that a change between two steps is noticed.
#pragma once
#include "src/options/options.h"

#include <string>

namespace voxcc::parts {

/// The most files whose size and time are looked at. Of more files, the names and the times of their folders are.
constexpr std::size_t most_listed_files = 10'000;

/// A checksum of the files of an input that has several: slices, pairs, files that others name, the array of a Zarr folder. It covers the
/// names, sizes and times of the files, and the geometry. If there are more than `most` files, a file that is written in place is not
/// noticed; a file that is added, removed or replaced is.
/// @param info of the opened input
/// @return 64 hexadecimal digits; empty if the input is one regular file or is computed
std::string checksum_of_files(const std::string& input, const InputOptions& options, const io::VolumeInfo& info,
                              std::size_t most = most_listed_files);

}  // namespace voxcc::parts
