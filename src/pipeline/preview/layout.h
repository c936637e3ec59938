// The sizes and positions of the parts of a preview, in pixels.
#pragma once
#include "src/pipeline/preview/views.h"

namespace voxcc::preview {

/// A rectangle of pixels.
struct Box {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
};

constexpr std::int64_t largest_edge = 1200;  // of the picture
constexpr std::int64_t margin = 30;          // around each panel, for the letters
constexpr std::int64_t line_height = 24;     // pixels from line to line

/// What limits the size of the views, in pixels.
struct ViewLimits {
    std::int64_t width = largest_edge, height = largest_edge;  // of the picture
    std::int64_t margin = preview::margin;                     // around each panel
    double least_whole_scale = 1;                              // smaller scales need not be whole numbers of pixels per step
};

/// The least size of a caption.
constexpr Box caption_of(std::int64_t lines) { return {0, 0, 360, lines * line_height + 12}; }

/// The arrangement of the views and the caption.
///
///    +---------+---------+         With one view: the view above the caption.
///    | view 0  | view 1  |
///    +---------+---------+
///    | view 2  | caption |         If the place of the caption is too small, the caption is below the views.
///    +---------+---------+
struct Layout {
    double pixels_per_unit = 1;  // unit: of the spacing
    std::int64_t width = 0, height = 0;
    std::vector<Box> panels;  // one per view, without its margin
    Box caption;
};

/// Chooses the largest scale at which the picture fits into the limits. A scale of at least `least_whole_scale` pixels per step of the
/// smallest spacing is a whole number of pixels per such step.
/// @param spacing length of a step along i, j, k; must be positive and finite
/// @param caption least size of the caption
// {200, 200, 150} voxels of 1 mm: 2 pixels per mm
Layout layout_of(const std::vector<View>& views, const Extent& extent, const std::array<double, 3>& spacing, const Box& caption,
                 const ViewLimits& limits = {});

}  // namespace voxcc::preview
