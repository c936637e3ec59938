#include "src/pipeline/middle_voxel.h"

#include <limits>

namespace voxcc {

VoxelIndex middle_voxel(const Painter& painter, const Extent& extent, const LargestComponents& largest, const Spacing& spacing,
                        ProgressBar& progress) {
    const auto square = [&](std::size_t axis, std::int64_t index) {
        const double distance = (double(index) - largest.centroid[axis]) * spacing[axis];
        return distance * distance;
    };
    VoxelIndex nearest{};
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t row = largest.slices[0] * extent.ny; row < (largest.slices[1] + 1) * extent.ny; ++row) {
        painter.paint({row, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        if (row % 1024 == 0) progress.update("preview", row, extent.rows());
        const std::int64_t y = row % extent.ny, z = row / extent.ny;
        const double beside = square(1, y) + square(2, z);
        if (beside >= least) continue;
        for (std::int64_t x = 0; x < extent.nx; ++x) {
            if (labels[std::size_t(x)] != largest.labels.front() || square(0, x) + beside >= least) continue;
            least = square(0, x) + beside;
            nearest = {x, y, z};
        }
    }
    return nearest;
}

}  // namespace voxcc
