// The store that a path leads to: a folder, the metadata of a folder, or an archive.
#pragma once
#include "io/formats/zarr/store.h"

namespace voxcc::io::zarr {

struct Place {
    std::unique_ptr<Store> store;
    std::string dataset;  // the path in the store that the user named by the path of the file; "" for the root
};

/// Opens the store of a path. If the path is an array of an OME-Zarr image, the store is the image, so that its axes are known.
// "a.zarr/0", an array  ->  {store "a.zarr", "0"}; "a.zarr/zarr.json"  ->  {store "a.zarr", ""}
Place open_place(const std::string& path, ExternalFiles external);

}  // namespace voxcc::io::zarr
