// MRC and CCP4 files (.mrc, .map, .ccp4, .st, .rec, .ali), also compressed.
#include "io/formats/mrc/mrc.h"
#include "io/formats/mrc/mrc_header.h"

namespace voxcc::io {

std::unique_ptr<VolumeReader> open_mrc(const std::string& path, const OpenOptions& options) {
    return open_contiguous(read_mrc_header(path), options);
}

VolumeInfo describe_mrc(const std::string& path, const OpenOptions&) { return checked_info(read_mrc_header(path)); }

}  // namespace voxcc::io
