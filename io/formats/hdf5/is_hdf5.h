// The recognition of HDF5 files. It needs no library, so that builds without HDF5 can name the format.
#pragma once
#include "io/decoded/decoded_file.h"

namespace voxcc::io {

/// @return whether the file has the signature of HDF5 at byte 0, or after a user block of 512, 1024, 2048, ... bytes
bool is_hdf5(DecodedFile& file);

}  // namespace voxcc::io
