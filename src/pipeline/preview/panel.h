// Draws one view of a preview: the image in grey, the components in colours, and the letters around them.
#pragma once
#include "src/pipeline/preview/brightness.h"
#include "src/pipeline/preview/canvas.h"
#include "src/pipeline/preview/palette.h"

namespace voxcc::preview {

/// Draws the projection into the box. The palette colour of a component is darker where the component is far from the viewer, and where its
/// surface faces away from a light at the upper left. A dark line separates components.
/// @param box must have the size for which the projection was made
/// @param spacing length of a step along i, j, k
void draw_projection(const Projection& projection, const Window& window, const std::array<double, 3>& spacing, const Box& box,
                     Canvas& canvas);

/// Writes the letters of the view into the margin around the box. @param margin_width in pixels
void draw_letters(const View& view, const Box& box, std::int64_t margin_width, Canvas& canvas);

}  // namespace voxcc::preview
