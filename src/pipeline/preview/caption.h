// The text beside the views of a preview: names, scale bar, positions and notes.
#pragma once
#include "src/pipeline/preview/canvas.h"
#include "src/pipeline/preview/scale_bar.h"

#include <vector>

namespace voxcc::preview {

/// The most lines of a caption, with the scale bar.
constexpr std::int64_t lines_over_projections = 5, lines_over_planes = 10;

struct Caption {
    std::vector<std::string> above;  // lines above the scale bar
    ScaleBar bar;
    std::vector<std::string> below;
};

/// Adds the lines that state which side of the patient is on the left, or that the file has no orientation.
void add_notes(const Views& views, Caption& caption);

/// Draws the lines one below the other. Lines that are too long are shortened.
void draw_caption(const Caption& caption, const Box& box, Canvas& canvas);

/// A position with as many decimals as its step needs: at least one more digit than the first digit of the step.
// -12.52, step 1 -> "-12.5"; 3.14159, step 0.78 -> "3.14"
std::string rounded(double position, double step);

}  // namespace voxcc::preview
