// The convex outline of each component in a slice. Only its corners can be ends of a Feret diameter.
#pragma once
#include "kernels3d/measure/farthest.h"
#include "kernels3d/measure/labelled_slice.h"

namespace voxcc {

/// The outlines of all labels of one slice, or of several slices.
struct Outlines {
    struct Outline {
        std::uint32_t label;
        std::size_t first, count;  // elements of `corners`
    };
    std::vector<Outline> outlines;
    std::vector<Corner> corners;
    std::int64_t bytes() const { return std::int64_t(outlines.size() * sizeof(Outline) + corners.size() * sizeof(Corner)); }
    void clear() { outlines.clear(), corners.clear(); }
};

/// The corners of an outline at the height y.
struct OutlineLevel {
    std::uint32_t y, least, most;
};

/// Finds the outlines of slices, one after the other. Memory: 4 bytes per label, and 16 bytes per row of each label of a slice.
class OutlineFinder {
public:
    /// Sets `to` to the outlines of a slice. An outline depends only on the voxels of its label in the slice.
    // one voxel (3, 5) of slice 2  ->  corners (3, 5, 2), (4, 5, 2), (3, 6, 2), (4, 6, 2) in some order
    void find(const LabelledSlice& slice, std::int64_t z, Outlines& to);

private:
    /// The first and last voxel of a label in a row.
    struct Row {
        std::uint32_t y, first, last, before;  // before: index + 1 in rows_ of the row before of this label, or 0
    };
    void add(std::uint32_t label, std::uint32_t y, std::uint32_t first, std::uint32_t last);
    void append_outline(std::uint32_t last_row, std::uint32_t z, std::vector<Corner>& to);

    std::vector<std::uint32_t> last_row_;  // [label] index + 1 in rows_ of its last row in the slice, or 0
    std::vector<std::uint32_t> labels_;    // labels of the slice
    std::vector<Row> rows_;
    std::vector<OutlineLevel> levels_;
    std::vector<Corner> side_;
};

/// Replaces corners of one component by the corners of its convex outline in each slice. The outlines of the boxes of a component become
/// the outlines of the component.
// the corners of the voxels (0, 0, 0), (1, 0, 0)  ->  (0, 0, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)
void keep_convex(std::vector<Corner>& corners);

}  // namespace voxcc
