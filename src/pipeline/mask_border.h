// Finds the components that touch voxels outside the mask by a face, for --clear-mask-border.
#pragma once
#include <voxcc/label.h>
#include <voxcc/volume.h>
#include "io/io.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace voxcc {

/// Passes all rows in raster order. Memory: 9 bytes per voxel of three slices.
class MaskBorder {
public:
    /// @param across neighbours along this axis do not touch, as with --per-slice; empty: all neighbours touch
    /// @param period extent of the periodic axes, 0 for the other axes
    MaskBorder(const Extent& extent, std::optional<Axis> across, const std::array<std::int64_t, 3>& period, std::uint64_t components);
    /// Adds the next row.
    /// @param components number of the component of each voxel; 0 is background
    /// @param mask a bit per voxel
    void add_row(std::span<const std::uint64_t> components, std::span<const std::uint64_t> mask);
    /// By number - 1: whether the component touches a voxel outside the mask. Must be called after the last row.
    std::vector<bool> take() { return std::move(touches_); }
    static std::int64_t bytes(const Extent& extent) { return 3 * 9 * extent.nx * extent.ny; }

private:
    struct Slice {
        std::vector<std::uint64_t> components;
        std::vector<char> in_mask;
    };
    void meet(const Slice& a, std::int64_t at, const Slice& b, std::int64_t other);
    void end_slice();

    Extent extent_;
    std::array<bool, 3> is_neighbour_{}, is_periodic_{};
    std::vector<bool> touches_;
    Slice current_, last_, first_;
    std::int64_t row_ = 0;
};

/// The components of a volume that touch voxels outside a mask: see MaskBorder::take().
/// @param labels of ScalarType::u64, with the numbers of the components
/// @param mask at row 0, of the extent of the volume
std::vector<bool> components_at_mask_border(const Painter& labels, io::VolumeReader& mask, std::optional<Axis> across,
                                            const std::array<std::int64_t, 3>& period, std::uint64_t components);

}  // namespace voxcc
