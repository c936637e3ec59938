#include "io/formats/nrrd/nrrd.h"
#include "io/formats/nrrd/nrrd_header.h"
#include "io/formats/stored/stored_reader.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_nrrd(const std::string& path, const OpenOptions& options) {
    return open_stored(parse_nrrd(path, options.external), options);
}

VolumeInfo describe_nrrd(const std::string& path, const OpenOptions& options) { return parse_nrrd(path, options.external).info; }

std::vector<std::string> files_of_nrrd(const std::string& path, const OpenOptions& options) {
    std::vector<std::string> files = data_files_of_nrrd(InputFile(path), options.external);
    files.push_back(path);
    return files;
}

}  // namespace voxcc::io
