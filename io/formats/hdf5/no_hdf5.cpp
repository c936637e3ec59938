// Takes the place of all other files of this folder in a build without HDF5.
#include "io/anndata.h"
#include "io/formats/hdf5/hdf5.h"
#include "io/formats/hdf5/hdf5_lock.h"
#include "io/optional_libraries.h"

namespace voxcc::io {
namespace {

constexpr auto advice = "; install voxcc with HDF5 (docs/manual/install.md), or convert the file to .nii.gz or .tif";

[[noreturn]] void refuse(const std::string& path) {
    throw Error(ErrorKind::unsupported_file, path, std::string("is an HDF5 file, and this voxcc was built without HDF5") + advice);
}

}  // namespace

hdf5::Lock::Lock() = default;

bool has_hdf5() { return false; }
std::string hdf5_version() { return "not in this build"; }

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions&) { refuse(path); }
VolumeInfo describe_hdf5(const std::string& path, const OpenOptions&) { refuse(path); }
std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions&) { refuse(path); }

std::vector<ScalarType> hdf5_label_types(const std::string& path) {
    throw Error(
        ErrorKind::unknown_format, path,
        "this voxcc was built without HDF5; install voxcc with HDF5 (docs/manual/install.md), or write .nii.gz, .tif, .nrrd or .mha");
}

// create.cpp calls these two only for a type of hdf5_label_types().
std::int64_t hdf5_rows_per_block(const LabelVolume& volume) { refuse(volume.path); }
std::unique_ptr<LabelWriter> create_hdf5(const LabelVolume& volume, OutputFiles&) { refuse(volume.path); }

void check_anndata(const std::string& path, const std::vector<std::string>&) {
    throw Error(ErrorKind::unknown_format, path,
                "this voxcc was built without HDF5; install voxcc with HDF5 (docs/manual/install.md), or write .csv, .tsv or .json");
}
std::unique_ptr<AnnDataWriter> create_anndata(OutputFile& file, AnnDataForm) {
    check_anndata(file.target(), {});
    return nullptr;
}

}  // namespace voxcc::io
