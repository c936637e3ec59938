// The stores of the two kinds of files.
#pragma once
#include "io/formats/zarr/store.h"

namespace voxcc::io::zarr {

std::unique_ptr<Store> open_folder(const std::string& path, ExternalFiles external);
std::unique_ptr<Store> open_archive(const std::string& path);

}  // namespace voxcc::io::zarr
