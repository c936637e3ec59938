#include "src/report/picture_reduction.h"

namespace voxcc::report {
namespace {

/// Calls f(voxel, target) for each voxel of a picture and the voxel that replaces it.
template <class F>
void for_each_voxel(const Extent& from, const std::array<std::int64_t, 3>& factor, const Extent& to, const F& f) {
    std::size_t voxel = 0;
    for (std::int64_t z = 0; z < from.nz; ++z)
        for (std::int64_t y = 0; y < from.ny; ++y) {
            const std::int64_t row = (z / factor[2] * to.ny + y / factor[1]) * to.nx;
            for (std::int64_t x = 0; x < from.nx; ++x) f(voxel++, std::size_t(row + x / factor[0]));
        }
}

}  // namespace

Picture reduced(const Picture& picture, const PictureComponents& components, std::int64_t voxel_limit) {
    const std::array<std::int64_t, 3> factor = steps_for(picture.reduced, voxel_limit);
    Picture result = picture;
    const auto shorter = [&](std::int64_t voxels, std::size_t axis) { return (voxels + factor[axis] - 1) / factor[axis]; };
    result.reduced = {shorter(picture.reduced.nx, 0), shorter(picture.reduced.ny, 1), shorter(picture.reduced.nz, 2)};
    for (std::size_t axis = 0; axis < 3; ++axis) result.step[axis] *= factor[axis];
    const std::size_t voxels = std::size_t(result.reduced.voxels());
    if (!picture.image.empty()) {
        std::vector<std::uint64_t> sums(voxels), counts(voxels);
        for_each_voxel(picture.reduced, factor, result.reduced, [&](std::size_t voxel, std::size_t target) {
            sums[target] += picture.image[voxel];
            ++counts[target];
        });
        result.image.resize(voxels);
        for (std::size_t i = 0; i < voxels; ++i) result.image[i] = std::uint8_t(sums[i] / counts[i]);
    }
    for (PictureLabels Picture::*const member : {&Picture::labels, &Picture::beside}) {
        const std::vector<std::uint32_t>& numbers = (picture.*member).numbers;
        if (numbers.empty()) continue;
        std::vector<std::uint32_t>& shown = (result.*member).numbers;
        shown.assign(voxels, 0);
        for_each_voxel(picture.reduced, factor, result.reduced, [&](std::size_t voxel, std::size_t target) {
            if (components.is_before(numbers[voxel], shown[target])) shown[target] = numbers[voxel];
        });
    }
    return result;
}

}  // namespace voxcc::report
