#include "io/formats/library_versions.h"

#include "io/optional_libraries.h"

#include <isa-l.h>
#include <libdeflate.h>
#include <tiffio.h>
#include <zlib.h>

namespace voxcc::io {
namespace {

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
    return {{"ITK", itk_version()},    {"HDF5", hdf5_version()}, {"libtiff", tiff_version()},  {"libdeflate", LIBDEFLATE_VERSION_STRING},
            {"isa-l", isal_version()}, {"zlib", zlibVersion()},  {"c-blosc", blosc_version()}, {"OpenJPEG", openjpeg_version()}};
}

}  // namespace voxcc::io
