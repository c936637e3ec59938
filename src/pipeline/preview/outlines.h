// Draws a plane of a preview: the image in grey, and the outlines and numbers of the components.
#pragma once
#include "src/pipeline/preview/brightness.h"
#include "src/pipeline/preview/canvas.h"

#include <vector>

namespace voxcc::preview {

/// Draws the image in grey, and the outline of each component in its palette colour. The outline lies inside the component: its pixels are
/// at most one pixel away from another label or from the edge of the box; two pixels if a cell has at least four pixels.
/// @param plane of one voxel depth @param box must have the size for which it was made
void draw_outlines(const Projection& plane, const Window& window, const Box& box, Canvas& canvas);

/// Writes the numbers of components beside their outlines, where they cover few labelled pixels. A component that the plane does not cut
/// has no number.
/// @param labels of the components; the first gets the best place
void draw_numbers(const Projection& plane, const std::vector<std::uint64_t>& labels, const Box& box, Canvas& canvas);

}  // namespace voxcc::preview
