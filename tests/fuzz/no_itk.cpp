// Takes the place of io/itk/itk_module.cpp: the fuzz targets run all checks before ITK, but not ITK, which runs in a child process.
#include "io/itk/itk.h"

namespace voxcc::io {

const ItkModule& itk_module(const std::string& path) {
    throw Error(ErrorKind::unsupported_file, path, "the fuzz targets do not contain ITK");
}

}  // namespace voxcc::io
