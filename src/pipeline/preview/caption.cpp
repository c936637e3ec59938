#include "src/pipeline/preview/caption.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace voxcc::preview {

void add_notes(const Views& views, Caption& caption) {
    std::vector<std::string> notes;
    if (views.axes == Views::Axes::stored) notes = {"No orientation in the file:", "i, j, k are the stored axes"};
    else if (views.show_left_and_right()) notes = {"Radiological convention:", "patient's right is on the left"};
    caption.below.insert(caption.below.end(), notes.begin(), notes.end());
}

void draw_caption(const Caption& caption, const Box& box, Canvas& canvas) {
    const std::int64_t left = box.left + margin, width = box.width - 2 * margin;
    std::int64_t top = box.top + (line_height - letter_height) / 2;
    const auto draw = [&](const std::vector<std::string>& lines) {
        for (const std::string& text : lines) {
            canvas.text(left, top, shortened(drawable(text), width), text_colour);
            top += line_height;
        }
    };
    draw(caption.above);
    const ScaleBar& bar = caption.bar;
    canvas.fill({left, top + letter_height / 2 - 2, bar.pixels, 4}, text_colour);
    for (const std::int64_t end : {left, left + bar.pixels - 2}) canvas.fill({end, top, 2, letter_height}, text_colour);
    canvas.text(left + bar.pixels + 10, top, bar.text, text_colour);
    top += line_height;
    draw(caption.below);
}

std::string rounded(double position, double step) {
    const int decimals = step > 0 ? std::clamp(1 - int(std::floor(std::log10(step))), 0, 9) : 1;
    const double unit = std::pow(10, -decimals);
    const double whole = std::round(position / unit) * unit + 0.0;  // not -0
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), std::abs(whole) < 1e15 ? "%.*f" : "%.*g", decimals, whole);
    return text.data();
}

}  // namespace voxcc::preview
