// Takes the place of itk_module.cpp in a build without ITK. All checks of a file that come before ITK still run.
#include "io/formats/itk/itk.h"
#include "io/optional_libraries.h"

namespace voxcc::io {

bool has_itk() { return false; }
std::string itk_version() { return "not in this build"; }

const ItkModule& itk_module(const std::string& path) {
    throw Error(ErrorKind::unsupported_file, path,
                "needs ITK, and this voxcc was built without ITK; install voxcc with ITK (docs/manual/install.md), or convert the file to "
                ".nii.gz or .tif");
}

}  // namespace voxcc::io
