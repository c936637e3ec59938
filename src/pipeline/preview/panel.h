// Draws one view of a preview: the image in grey, the components in colours, and the letters around them.
#pragma once
#include "src/pipeline/preview/brightness.h"
#include "src/pipeline/preview/canvas.h"

namespace voxcc::preview {

/// The colours of the components. Component 1 has the first colour, component 8 the first again. These are the colours of Okabe and Ito
/// (2008) without black, which most colour-blind readers can distinguish. Consecutive numbers have colours of different brightness.
constexpr std::array<Colour, 7> palette{
    {{230, 159, 0}, {86, 180, 233}, {240, 228, 66}, {213, 94, 0}, {204, 121, 167}, {0, 158, 115}, {0, 114, 178}}};

constexpr Colour colour_of(std::uint64_t label) { return palette[std::size_t((label - 1) % palette.size())]; }

/// Draws the projection into the box. The palette colour of a component is darker where the component is far from the viewer, and where its
/// surface faces away from a light at the upper left. A dark line separates components.
/// @param box must have the size for which the projection was made
/// @param spacing length of a step along i, j, k
void draw_projection(const Projection& projection, const Window& window, const std::array<double, 3>& spacing, const Box& box,
                     Canvas& canvas);

/// Writes the letters of the view into the margin around the box.
void draw_letters(const View& view, const Box& box, Canvas& canvas);

}  // namespace voxcc::preview
