// One voxel inside each component, also inside rings and other shapes whose centroid is outside: the middle voxel of the run of voxels
// along i that contains the middle voxel of the component in raster order.
//
//   components   1 1 1 1 .      middle voxel of component 1: the fifth of nine
//                1 . 1 1 1      its run: i = 2 to 4
//                1 . . . .      the voxel inside: i = 3, j = 1
#pragma once
#include <voxcc/label.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace voxcc {

using VoxelIndex = std::array<std::int64_t, 3>;  // i j k

/// Finds the voxels in one pass over all rows, in raster order. Memory: 32 bytes per component.
class InsideVoxels {
public:
    /// @param voxels of each component, by number - 1
    explicit InsideVoxels(std::span<const std::uint64_t> voxels) : before_middle_(voxels.begin(), voxels.end()), inside_(voxels.size()) {
        for (std::uint64_t& count : before_middle_) count = count > 0 ? (count - 1) / 2 : found;
    }
    /// Adds the next row.
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components number of the component of each voxel; 0 is background
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components) {
        for (std::size_t first = 0, end = 0; first < components.size(); first = end) {
            for (end = first + 1; end < components.size() && components[end] == components[first];) ++end;
            if (components[first] == 0) continue;
            std::uint64_t& before = before_middle_[std::size_t(components[first] - 1)];
            if (before == found) continue;
            if (before >= end - first) {
                before -= end - first;
                continue;
            }
            before = found;
            inside_[std::size_t(components[first] - 1)] = {std::int64_t(first + end - 1) / 2, y, z};
        }
    }
    /// By number - 1. Must be called after the last row.
    std::vector<VoxelIndex> take() { return std::move(inside_); }

private:
    static constexpr std::uint64_t found = ~std::uint64_t{0};
    std::vector<std::uint64_t> before_middle_;  // voxels of the component before the middle one that are not passed yet; or `found`
    std::vector<VoxelIndex> inside_;
};

/// A voxel inside each component, by number - 1.
/// @param labels of ScalarType::u64 @param voxels of each component, by number - 1
inline std::vector<VoxelIndex> inside_voxels(const Painter& labels, const Extent& extent, std::span<const std::uint64_t> voxels) {
    InsideVoxels inside(voxels);
    for_each_painted_row(labels, extent, [&](std::int64_t row, std::span<const std::uint64_t> components) {
        inside.add_row(row % extent.ny, row / extent.ny, components);
    });
    return inside.take();
}

}  // namespace voxcc
