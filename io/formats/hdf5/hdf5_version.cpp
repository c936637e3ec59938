#include "io/formats/hdf5/hdf5_handles.h"
#include "io/optional_libraries.h"

namespace voxcc::io {

bool has_hdf5() { return true; }

std::string hdf5_version() {
    const hdf5::Lock lock;  // the call starts the library
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace voxcc::io
