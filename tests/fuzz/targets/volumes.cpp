// Targets that read one volume file as the program does.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <algorithm>
#include <array>

namespace voxcc::fuzz {
namespace {

void read_as(const std::string& name, Input input) {
    const std::string path = put_scratch(name, input);
    accepts([&] { read_as_program(path); });
}

void run_nifti(Input input) { read_as("x.nii", input); }
void run_nifti_gz(Input input) { read_as("x.nii.gz", input); }
void run_tiff(Input input) { read_as("x.tif", input); }
void run_hdf5(Input input) { read_as("x.h5", input); }
void run_nrrd(Input input) { read_as("x.nrrd", input); }
void run_metaimage(Input input) { read_as("x.mha", input); }
void run_npy(Input input) { read_as("x.npy", input); }
void run_npz(Input input) { read_as("x.npz", input); }
void run_mgh(Input input) { read_as("x.mgh", input); }
void run_mgz(Input input) { read_as("x.mgz", input); }
void run_zstd(Input input) { read_as("x.nii.zst", input); }
void run_mrc(Input input) { read_as("x.mrc", input); }
void run_mrc_gz(Input input) { read_as("x.map.gz", input); }
void run_gipl(Input input) { read_as("x.gipl", input); }
/// All but the codecs of GDCM, which run in a child process.
void run_dicom(Input input) { read_as("x.dcm", input); }

/// Reads the array that is chosen without a name, and some arrays by their names.
void run_vtk(Input input) {
    constexpr std::size_t most = 3;
    const std::string path = put_scratch("x.vtk", input);
    accepts([&] { read_as_program(path); });
    accepts([&] {
        const std::vector<io::Dataset> datasets = io::describe_volume(path).datasets;
        for (std::size_t i = 0; i < std::min(most, datasets.size()); ++i)
            accepts([&] { read_as_program(path, {.dataset = datasets[i].path, .volume = 0}); });
    });
}

/// The first bytes are the layout; the rest is the file.
void run_raw(Input input) {
    constexpr std::size_t layout_bytes = 6;
    constexpr std::array types{ScalarType::u8, ScalarType::i16, ScalarType::f32, ScalarType::u64};
    if (input.size() < layout_bytes) return;
    const auto number = [&](std::size_t i) { return std::int64_t(std::uint64_t{1} << (input[i] % 64) >> 1); };  // 0, 1, 2, 4, ... 2^62
    io::RawLayout layout{.type = types[input[0] % types.size()], .extent = {number(1), number(2), number(3)}, .offset = number(4)};
    if (input[5] % 2 == 1) layout.byte_order = std::endian::big;
    if (input[0] >= 128) layout.type = ScalarType::f32, layout.samples = io::Samples::halves;
    const std::string path = put_scratch("x.raw", input.subspan(layout_bytes));
    accepts([&] { read_as_program(path, {.volume = 0, .raw = layout}); });
}

const Registered nifti({.name = "nifti", .run = run_nifti, .longest = 2048, .mutate = mutate_nifti, .dictionary = "nifti.dict"});
const Registered nifti_gz({.name = "nifti_gz", .run = run_nifti_gz, .longest = 4096, .mutate = mutate_gzip, .dictionary = "nifti.dict"});
const Registered tiff({.name = "tiff", .run = run_tiff, .longest = 16384, .mutate = mutate_tiff});
const Registered hdf5({.name = "hdf5", .run = run_hdf5, .longest = 16384, .mutate = mutate_hdf5});
const Registered nrrd({.name = "nrrd", .run = run_nrrd, .longest = 4096, .mutate = mutate_text, .dictionary = "nrrd.dict"});
const Registered metaimage(
    {.name = "metaimage", .run = run_metaimage, .longest = 4096, .mutate = mutate_text, .dictionary = "metaimage.dict"});
const Registered npy({.name = "npy", .run = run_npy, .longest = 1024, .mutate = mutate_npy, .dictionary = "npy.dict"});
const Registered npz({.name = "npz", .run = run_npz, .longest = 2048, .mutate = mutate_zip});
const Registered mgh({.name = "mgh", .run = run_mgh, .longest = 2048, .mutate = mutate_fields});
const Registered mgz({.name = "mgz", .run = run_mgz, .longest = 2048, .mutate = mutate_gzip});
const Registered zstd({.name = "zstd", .run = run_zstd, .longest = 2048});
const Registered mrc({.name = "mrc", .run = run_mrc, .longest = 2048, .mutate = mutate_mrc});
const Registered mrc_gz({.name = "mrc_gz", .run = run_mrc_gz, .longest = 2048, .mutate = mutate_gzip});
const Registered gipl({.name = "gipl", .run = run_gipl, .longest = 1024, .mutate = mutate_gipl});
const Registered dicom({.name = "dicom", .run = run_dicom, .longest = 4096, .mutate = mutate_dicom, .dictionary = "dicom.dict"});
const Registered vtk({.name = "vtk", .run = run_vtk, .longest = 4096, .mutate = mutate_vtk, .dictionary = "vtk.dict"});
const Registered raw({.name = "raw", .run = run_raw, .longest = 512});

}  // namespace
}  // namespace voxcc::fuzz
