// The views of a preview: which stored axis runs to the right, downwards and away from the viewer, and the letters at the edges.
#pragma once
#include "io/io.h"

#include <optional>
#include <string_view>

namespace voxcc::preview {

/// A stored axis, followed in one direction of the picture.
struct ViewAxis {
    enum class Direction : std::uint8_t { ascending, descending };
    std::size_t stored = 0;  // 0, 1, 2: i, j, k
    Direction direction = Direction::ascending;
    std::string_view first, last;  // letters at the ends: where the axis starts and ends in the picture
    /// The position of an index along the axis, counted from where the axis starts in the picture. @param n number of voxels
    // descending, n = 5, index 1  ->  3
    std::int64_t position(std::int64_t index, std::int64_t n) const { return direction == Direction::ascending ? index : n - 1 - index; }
};

struct View {
    ViewAxis right, down, away;
    std::string_view name;    // of a plane of the view: "axial", "plane i j"
    std::string_view across;  // the axis across this plane: x, y, z of the world, or i, j, k
};

/// The views of a volume.
/// - anatomical: coronal from the front, sagittal from the left, axial from below; superior is up, and anterior is up in the axial view
/// - stored: the file has no orientation. The views show the stored axes i j, k j and i k
struct Views {
    enum class Axes : std::uint8_t { anatomical, stored };
    Axes axes = Axes::stored;
    /// Top left, top right and bottom left of the picture. Only one view if an axis has one voxel: along that axis.
    std::vector<View> list;
    /// Whether right and left of the patient are at the left and right edge of a view.
    bool show_left_and_right() const;
};

/// The number of voxels along a stored axis.
inline std::int64_t voxels_along(const Extent& e, std::size_t stored) { return stored == 0 ? e.nx : stored == 1 ? e.ny : e.nz; }

/// @param affine the usable affine of the volume; empty if the volume has no usable affine. The nearest axis orientation of an oblique
/// affine counts
Views views_of(const Extent& extent, const std::optional<io::Affine>& affine);

}  // namespace voxcc::preview
