// Cuts the slices of a volume into tiles of Width x Height voxels, with one lane per voxel. Tiles at the far edges may be partly outside
// the volume.
#pragma once
#include "kernels3d/exec/executor.h"

namespace voxcc::algorithms {

template <std::uint32_t Width, std::uint32_t Height>
struct Tiling {
    static constexpr int lanes = int(Width * Height);
    exec::Grid size;

    VOXCC_HD std::uint32_t columns() const { return size.x / Width + (size.x % Width != 0); }
    VOXCC_HD std::uint32_t rows() const { return size.y / Height + (size.y % Height != 0); }
    std::int64_t tiles() const { return exec::Grid{columns(), rows(), size.z}.cells(); }
    VOXCC_HD exec::Cell first_voxel(std::int64_t tile) const {
        const std::int64_t row = tile / columns();
        return {std::uint32_t(tile % columns()) * Width, std::uint32_t(row % rows()) * Height, std::uint32_t(row / rows())};
    }
    /// The voxel of a lane, row by row of the tile. The voxel may be outside the volume.
    VOXCC_HD static exec::Cell voxel(const exec::Cell& first, int lane) {
        return {first.x + std::uint32_t(lane) % Width, first.y + std::uint32_t(lane) / Width, first.z};
    }
    VOXCC_HD bool contains(const exec::Cell& c) const { return c.x < size.x && c.y < size.y; }
};

}  // namespace voxcc::algorithms
