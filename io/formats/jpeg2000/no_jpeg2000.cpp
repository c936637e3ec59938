// Takes the place of the other files of this folder, except is_jpeg2000.cpp, in a build without OpenJPEG.
#include "io/formats/jpeg2000/jpeg2000.h"
#include "io/optional_libraries.h"

namespace voxcc::io {
namespace {

[[noreturn]] void refuse(const std::string& path) {
    throw Error(
        ErrorKind::unsupported_file, path,
        "is a JPEG 2000 image, and this voxcc was built without OpenJPEG; install voxcc with OpenJPEG (docs/manual/install.md), or save "
        "the image as .tif or .png");
}

}  // namespace

bool has_jpeg2000() { return false; }
std::string openjpeg_version() { return "not in this build"; }

std::unique_ptr<VolumeReader> open_jpeg2000(const std::string& path, const OpenOptions&) { refuse(path); }
VolumeInfo describe_jpeg2000(const std::string& path, const OpenOptions&) { refuse(path); }

}  // namespace voxcc::io
