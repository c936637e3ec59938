// NIfTI files that voxcc reads must have the same shape, type, geometry and voxels for the NIfTI library of NIH (nifti2_io).
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"
#include "tests/io/label_files.h"

#include <nifti2_io.h>
#include <cmath>
#include <memory>

namespace voxcc::fuzz {
namespace {

constexpr std::int64_t most_voxels = 1 << 16;

struct FreeImage {
    void operator()(nifti_image* image) const { nifti_image_free(image); }
};
using Image = std::unique_ptr<nifti_image, FreeImage>;

Image open_by_library(const std::string& path, bool with_voxels) {
    nifti_set_debug_level(0);
    return Image(nifti_image_read(path.c_str(), with_voxels));
}

bool is_close(double a, double b) { return a == b || std::abs(a - b) <= 1e-5 * (std::abs(a) + std::abs(b)); }

// The library reads forms with other rules if they are not usable. voxcc then states no affine, or an affine that is not finite.
void compare_geometry(const io::Geometry& geometry, const nifti_image& image) {
    if (!geometry.affine || geometry.source != "sform") return;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 4; ++column)
            if (const double value = (*geometry.affine)[row][column];
                std::isfinite(value) && !is_close(value, image.sto_xyz.m[row][column]))
                fault("the sform is another one for niftilib");
}

// The library replaces infinite numbers and NaN by 0.
void compare_voxels(const io::VolumeInfo& info, std::span<const std::byte> voxels, const nifti_image& image) {
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < voxels.size() / sizeof(T); ++i) {
            T mine, other;
            std::memcpy(&mine, voxels.data() + i * sizeof(T), sizeof(T));
            std::memcpy(&other, static_cast<const std::byte*>(image.data) + i * sizeof(T), sizeof(T));
            if (std::isfinite(double(mine)) && mine != other) fault("a voxel is another one for niftilib");
        }
    });
}

void run(Input input) {
    const std::string path = put_scratch("x.nii", input);
    io::VolumeInfo info;
    std::vector<std::byte> voxels;
    const bool accepted = accepts([&] {
        const auto reader = io::open_volume(path, {.volume = 0});
        info = reader->info();
        if (info.extent.voxels() * info.volumes <= most_voxels) voxels = test::read_all(*reader, info.extent.rows());
    });
    if (!accepted || voxels.empty()) return;
    const Image image = open_by_library(path, true);
    if (!image) return;  // the library refuses more files, for example a vox_offset that is not a multiple of 16
    if (image->nx != info.extent.nx || std::max<std::int64_t>(1, image->ny) != info.extent.ny ||
        std::max<std::int64_t>(1, image->nz) != info.extent.nz)
        fault("niftilib reads another shape");
    if (image->datatype == NIFTI_TYPE_FLOAT128) return;  // voxcc converts it to double
    if (image->nbyper != size_of(info.type)) fault("niftilib reads another type");
    compare_geometry(info.geometry, *image);
    if (image->data) compare_voxels(info, voxels, *image);
}

const Registered nifti_by_niftilib(
    {.name = "nifti_by_niftilib", .run = run, .longest = 2048, .mutate = mutate_nifti, .dictionary = "nifti.dict", .seeds = "nifti"});

}  // namespace
}  // namespace voxcc::fuzz
