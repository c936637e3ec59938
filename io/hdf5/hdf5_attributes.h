// Small attributes and datasets, as numbers and text.
#pragma once
#include "io/hdf5/hdf5_file.h"

#include <optional>
#include <vector>

namespace voxcc::io::hdf5 {

/// The numbers of attribute `name`; none if it is missing, not numeric, or has more than 64 of them.
std::optional<std::vector<double>> number_attribute(hid_t object, const char* name);

/// The strings of attribute `name` (one for a scalar); none if it is missing, no text, or has more than 64 of them.
/// @throw Error bad_data if it cannot be read: it may say what the axes are, so going on without it could mean other voxels
std::optional<std::vector<std::string>> text_attribute(const File& file, hid_t object, const char* name);

/// The same of a small dataset, such as ITK keeps beside its voxels.
std::optional<std::vector<double>> number_dataset(const File& file, const std::string& path);

}  // namespace voxcc::io::hdf5
