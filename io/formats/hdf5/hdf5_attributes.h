// Reading of small attributes and datasets as numbers or text.
#pragma once
#include "io/formats/hdf5/hdf5_file.h"

#include <optional>
#include <vector>

namespace voxcc::io::hdf5 {

/// Reads a numeric attribute. @return empty if it is missing, not numeric, unreadable, or has more than 64 values
std::optional<std::vector<double>> number_attribute(hid_t object, const char* name);

/// Reads a text attribute. @return one string for a scalar; empty if it is missing, not text, or has more than 64 strings
/// @throw Error about the content if it cannot be read: it can state the axes, and without it other voxels could be read
std::optional<std::vector<std::string>> text_attribute(const File& file, hid_t object, const char* name);

/// Reads a small contiguous dataset of numbers, such as ITK stores beside its voxels. @return empty if it is not such a dataset
std::optional<std::vector<double>> number_dataset(const File& file, const std::string& path);

}  // namespace voxcc::io::hdf5
