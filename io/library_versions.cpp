#include "io/library_versions.h"

#include "io/hdf5/hdf5_handles.h"

#include <H5public.h>
#include <isa-l.h>
#include <libdeflate.h>
#include <tiffio.h>
#include <zlib.h>

namespace voxcc::io {
namespace {

std::string hdf5_version() {
    const hdf5::Lock lock;  // the call starts the library
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

// "LIBTIFF, Version 4.5.0\nCopyright ..."
std::string tiff_version() {
    const std::string text = TIFFGetVersion(), first_line = text.substr(0, text.find('\n'));
    return first_line.substr(first_line.rfind(' ') + 1);
}

std::string isal_version() {
    return std::to_string(ISAL_MAJOR_VERSION) + "." + std::to_string(ISAL_MINOR_VERSION) + "." + std::to_string(ISAL_PATCH_VERSION);
}

}  // namespace

std::vector<LibraryVersion> library_versions() {
    return {{"ITK", VOXCC_ITK_VERSION}, {"HDF5", hdf5_version()}, {"libtiff", tiff_version()}, {"libdeflate", LIBDEFLATE_VERSION_STRING},
            {"isa-l", isal_version()},  {"zlib", zlibVersion()}};
}

}  // namespace voxcc::io
