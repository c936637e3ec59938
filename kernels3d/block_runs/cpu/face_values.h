// The values of the voxels on the faces of periodic axes, for rules that compare values by their difference.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/near_values.h"

#include <array>
#include <cstring>
#include <vector>

namespace voxcc::block_runs {

/// Keeps the values of the voxels in the first and last layer of each periodic axis.
class FaceValues {
public:
    FaceValues(const Request& request, ScalarType type)
        : extent_(request.extent), periodic_(request.periodic), type_(type), most_(request.gradient) {
        if (!periodic_.any()) return;
        const int64_t nx = extent_.nx, ny = extent_.ny, nz = extent_.nz;
        if (periodic_.axes[0]) ends_ = std::vector<std::byte>(std::size_t(2 * ny * nz * size_of(type)));
        if (periodic_.axes[1]) sides_ = std::vector<std::byte>(std::size_t(2 * nx * nz * size_of(type)));
        if (periodic_.axes[2]) slices_ = std::vector<std::byte>(std::size_t(2 * nx * ny * size_of(type)));
    }

    /// Adds the values of a row. May be called by several threads for different rows.
    void add(int64_t row, const std::byte* values) {
        if (!periodic_.any()) return;
        const int64_t nx = extent_.nx, ny = extent_.ny, y = row % ny, z = row / ny, bytes = size_of(type_), row_bytes = nx * bytes;
        if (!ends_.empty()) {
            std::memcpy(ends_.data() + 2 * row * bytes, values, std::size_t(bytes));
            std::memcpy(ends_.data() + (2 * row + 1) * bytes, values + row_bytes - bytes, std::size_t(bytes));
        }
        if (!sides_.empty())
            for (int side = 0; side < 2; ++side)
                if (y == (side == 0 ? 0 : ny - 1)) std::memcpy(sides_.data() + (2 * z + side) * row_bytes, values, std::size_t(row_bytes));
        if (!slices_.empty())
            for (int side = 0; side < 2; ++side)
                if (z == (side == 0 ? 0 : extent_.nz - 1))
                    std::memcpy(slices_.data() + (side * ny + y) * row_bytes, values, std::size_t(row_bytes));
    }

    /// Whether the values of two voxels on such faces are near.
    bool near(const std::array<int64_t, 3>& a, const std::array<int64_t, 3>& b) const { return is_near_stored(type_, at(a), at(b), most_); }

private:
    /// The stored value of a voxel.
    const std::byte* at(const std::array<int64_t, 3>& p) const {
        const auto [x, y, z] = p;
        const int64_t nx = extent_.nx, ny = extent_.ny, bytes = size_of(type_);
        if (!ends_.empty() && (x == 0 || x == nx - 1)) return ends_.data() + (2 * (z * ny + y) + (x == 0 ? 0 : 1)) * bytes;
        if (!sides_.empty() && (y == 0 || y == ny - 1)) return sides_.data() + ((2 * z + (y == 0 ? 0 : 1)) * nx + x) * bytes;
        return slices_.data() + (((z == 0 ? 0 : 1) * ny + y) * nx + x) * bytes;
    }

    Extent extent_;
    Periodic periodic_;
    ScalarType type_;
    Bound most_;
    std::vector<std::byte> ends_, sides_, slices_;  // [z][y][first or last x], [z][first or last y][x], [first or last z][y][x]
};

}  // namespace voxcc::block_runs
