#include "src/pipeline/preview/outlines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace voxcc::preview {
namespace {

constexpr double brightest_image = 210;  // of 255, so that bright colours are visible on it
constexpr std::int64_t halo = 2;         // pixels of the dark edge around a number

/// The labels of a plane, by pixel of its panel.
class PixelLabels {
public:
    PixelLabels(const Projection& plane, const Box& box) : plane_(plane), width_(box.width), height_(box.height) {}
    std::uint64_t at(std::int64_t x, std::int64_t y) const { return plane_.nearest()[plane_.cell_at(x, y)].label; }
    /// Whether a pixel within `distance` along both axes has another label, or lies outside the panel.
    bool ends_near(std::int64_t x, std::int64_t y, std::int64_t distance) const {
        const std::uint64_t label = at(x, y);
        for (std::int64_t b = y - distance; b <= y + distance; ++b)
            for (std::int64_t a = x - distance; a <= x + distance; ++a)
                if (!contains(a, b) || at(a, b) != label) return true;
        return false;
    }
    /// The number of labelled pixels in a box of the panel.
    std::int64_t labelled_in(const Box& box) const {
        std::int64_t count = 0;
        for (std::int64_t y = box.top; y < box.top + box.height; ++y)
            for (std::int64_t x = box.left; x < box.left + box.width; ++x) count += at(x, y) != 0;
        return count;
    }
    std::int64_t width() const { return width_; }
    std::int64_t height() const { return height_; }

private:
    bool contains(std::int64_t x, std::int64_t y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
    const Projection& plane_;
    std::int64_t width_, height_;
};

/// The pixels at which a component in a panel is farthest to the top, to the bottom, to the left and to the right.
struct Ends {
    struct Pixel {
        std::int64_t x, y;
    };
    Pixel top, bottom, left, right;
    void add(const Pixel& pixel) {
        bottom = pixel;
        if (pixel.x < left.x) left = pixel;
        if (pixel.x > right.x) right = pixel;
    }
};

/// The ends of components in a panel, in the order of `labels`; empty for a component that is not in the panel.
std::vector<std::optional<Ends>> ends_of(const std::vector<std::uint64_t>& labels, const PixelLabels& pixels) {
    std::vector<std::optional<Ends>> ends(labels.size());
    for (std::int64_t y = 0; y < pixels.height(); ++y)
        for (std::int64_t x = 0; x < pixels.width(); ++x) {
            const auto found = pixels.at(x, y) == 0 ? labels.end() : std::ranges::find(labels, pixels.at(x, y));
            if (found == labels.end()) continue;
            std::optional<Ends>& of_label = ends[std::size_t(found - labels.begin())];
            const Ends::Pixel pixel{x, y};
            if (!of_label) of_label = {pixel, pixel, pixel, pixel};
            of_label->add(pixel);
        }
    return ends;
}

bool overlap(const Box& a, const Box& b) {
    return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

/// Finds places for numbers, which do not overlap each other.
class Places {
public:
    explicit Places(const PixelLabels& pixels) : pixels_(pixels) {}

    /// The place beside the component that covers the fewest labelled pixels; of equal places the nearest one, to the right first.
    /// @param width width of the number and of the dark edge around it, in pixels
    /// @return empty if other numbers cover all places, or no place lies inside the panel
    std::optional<Box> take(const Ends& ends, std::int64_t width) {
        std::optional<Box> best;
        std::int64_t fewest = 0;
        for (const std::int64_t gap : {2, 12, 24, 40})
            for (const Box& place : beside(ends, {0, 0, width, letter_height + 2 * halo}, gap)) {
                if (!is_free(place)) continue;
                const std::int64_t covered = pixels_.labelled_in(place);
                if (best && covered >= fewest) continue;
                best = place;
                fewest = covered;
            }
        if (best) taken_.push_back(*best);
        return best;
    }

private:
    /// A box of a length, in the middle at `at`, or moved so that it is inside [0, end).
    static std::int64_t inside(std::int64_t at, std::int64_t length, std::int64_t end) {
        return std::max<std::int64_t>(0, std::min(at - length / 2, end - length));
    }

    std::array<Box, 4> beside(const Ends& ends, const Box& size, std::int64_t gap) const {
        const std::int64_t width = size.width, height = size.height;
        const auto top = [&](std::int64_t y) { return inside(y, height, pixels_.height()); };
        const auto left = [&](std::int64_t x) { return inside(x, width, pixels_.width()); };
        return {Box{ends.right.x + 1 + gap, top(ends.right.y), width, height},
                {ends.left.x - gap - width, top(ends.left.y), width, height},
                {left(ends.top.x), ends.top.y - gap - height, width, height},
                {left(ends.bottom.x), ends.bottom.y + 1 + gap, width, height}};
    }

    bool is_free(const Box& place) const {
        return place.left >= 0 && place.top >= 0 && place.left + place.width <= pixels_.width() &&
               place.top + place.height <= pixels_.height() &&
               std::ranges::none_of(taken_, [&](const Box& other) { return overlap(place, other); });
    }

    const PixelLabels& pixels_;
    std::vector<Box> taken_;
};

}  // namespace

void draw_outlines(const Projection& plane, const Window& window, const Box& box, Canvas& canvas) {
    const PixelLabels pixels(plane, box);
    const std::int64_t thickness = box.width >= 4 * plane.cells_wide() && box.height >= 4 * plane.cells_high() ? 2 : 1;
    for (std::int64_t y = 0; y < box.height; ++y)
        for (std::int64_t x = 0; x < box.width; ++x) {
            const std::uint64_t label = pixels.at(x, y);
            const auto grey = std::uint8_t(std::lround(brightest_image * window.part(plane.values()[plane.cell_at(x, y)])));
            const bool is_outline = label != 0 && pixels.ends_near(x, y, thickness);
            canvas.set(box.left + x, box.top + y, is_outline ? colour_of(label) : Colour{grey, grey, grey});
        }
}

void draw_numbers(const Projection& plane, const std::vector<std::uint64_t>& labels, const Box& box, Canvas& canvas) {
    const PixelLabels pixels(plane, box);
    const std::vector<std::optional<Ends>> ends = ends_of(labels, pixels);
    Places places(pixels);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!ends[i]) continue;
        const std::string text = std::to_string(labels[i]);
        const auto place = places.take(*ends[i], text_width(text) + 2 * halo);
        if (place) canvas.text_with_edge(box.left + place->left + halo, box.top + place->top + halo, text, colour_of(labels[i]));
    }
}

}  // namespace voxcc::preview
