// Takes the place of the other files of this folder, except is_zarr.cpp, in a build without Zarr.
#include "io/formats/zarr/zarr.h"
#include "io/optional_libraries.h"

namespace voxcc::io {
namespace {

[[noreturn]] void refuse(const std::string& path) {
    throw Error(ErrorKind::unsupported_file, path,
                "is a Zarr store, and this voxcc was built without Zarr; install voxcc with Zarr (docs/manual/install.md), or save the "
                "image as .h5, "
                ".tif or .nii.gz");
}

[[noreturn]] void refuse_output(const std::string& path) {
    throw Error(ErrorKind::unknown_format, path, "is a Zarr output, and this voxcc was built without Zarr", ".h5, .tif or .nii.gz");
}

}  // namespace

bool has_zarr() { return false; }
std::string blosc_version() { return "not in this build"; }

std::unique_ptr<VolumeReader> open_zarr(const std::string& path, const OpenOptions&) { refuse(path); }
VolumeInfo describe_zarr(const std::string& path, const OpenOptions&) { refuse(path); }
std::vector<std::string> files_of_zarr(const std::string& path, const OpenOptions&) { refuse(path); }
std::vector<std::string> verify_zarr(const std::string& path, const OpenOptions&) { refuse(path); }

std::unique_ptr<LabelWriter> create_zarr(const LabelVolume& volume, OutputFiles&) { refuse_output(volume.path); }
std::int64_t zarr_rows_per_block(const LabelVolume& volume) { refuse_output(volume.path); }
void check_zarr_output(const std::string& path, int, const OutputFiles&, Content) { refuse_output(path); }

}  // namespace voxcc::io
