// Cuts a volume into tiles of Width x Height x Depth voxels, which a group of lanes processes. Tiles at the far ends may be partly outside
// the volume. Voxel v of a tile is its voxel number v in raster order. Lane l has the voxels l, l + Lanes, l + 2 Lanes, ...
#pragma once
#include "kernels3d/exec/executor.h"
#include "lab/algorithms/neighbours.h"

namespace voxcc::algorithms {

template <std::uint32_t Width, std::uint32_t Height, std::uint32_t Depth = 1, int Lanes = int(Width* Height* Depth)>
struct Tiling {
    static constexpr int voxels = int(Width * Height * Depth), lanes = Lanes, voxels_per_lane = voxels / lanes;
    static_assert(voxels % lanes == 0);
    exec::Grid size;

    VOXCC_HD static constexpr exec::Grid shape() { return {Width, Height, Depth}; }
    VOXCC_HD std::uint32_t columns() const { return size.x / Width + (size.x % Width != 0); }
    VOXCC_HD std::uint32_t rows() const { return size.y / Height + (size.y % Height != 0); }
    VOXCC_HD std::uint32_t layers() const { return size.z / Depth + (size.z % Depth != 0); }
    std::int64_t tiles() const { return exec::Grid{columns(), rows(), layers()}.cells(); }
    VOXCC_HD exec::Cell first_voxel(std::int64_t tile) const {
        const std::uint32_t t = std::uint32_t(tile), row = t / columns();
        return {t % columns() * Width, row % rows() * Height, row / rows() * Depth};
    }
    /// Voxel v of the tile that begins at `first`. The voxel may be outside the volume.
    VOXCC_HD static exec::Cell voxel(const exec::Cell& first, int v) {
        const std::uint32_t line = std::uint32_t(v) / Width;
        return {first.x + std::uint32_t(v) % Width, first.y + line % Height, first.z + line / Height};
    }
    VOXCC_HD bool contains(const exec::Cell& c) const { return c.x < size.x && c.y < size.y && c.z < size.z; }
    /// The directions that lead from voxel c of the volume to voxels of the same tile.
    VOXCC_HD static Directions within_tile(const exec::Cell& c) {
        Directions set = directions::all;
        if (c.x % Width == 0) set &= ~directions::left;
        if (c.x % Width == Width - 1) set &= ~directions::right;
        if (c.y % Height == 0) set &= ~directions::above;
        if (c.y % Height == Height - 1) set &= ~directions::below;
        if (c.z % Depth == 0) set &= ~directions::before;
        if (c.z % Depth == Depth - 1) set &= ~directions::behind;
        return set;
    }
};

}  // namespace voxcc::algorithms
