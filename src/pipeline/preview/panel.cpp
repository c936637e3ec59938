#include "src/pipeline/preview/panel.h"

#include <algorithm>
#include <cmath>

namespace voxcc::preview {
namespace {

constexpr double brightest_grey = 120;  // of 255: the image is dimmed
constexpr double darkest_depth = 0.6;   // brightness of the farthest voxel, relative to the nearest
constexpr double darkest_slope = 0.6;   // brightness of a surface that faces away from the light, relative to one that faces the viewer
constexpr double separating_line = 0.4;

Colour scaled(const Colour& colour, double factor) {
    Colour result;
    for (std::size_t c = 0; c < 3; ++c) result[c] = std::uint8_t(std::lround(double(colour[c]) * factor));
    return result;
}

/// The brightness of the components, per cell of a projection.
class Shading {
public:
    Shading(const Projection& projection, const std::array<double, 3>& spacing) : projection_(projection), nearest_(projection.nearest()) {
        const auto length = [&](const ViewAxis& axis) { return double(projection.voxels(axis)) * spacing[axis.stored]; };
        const View& view = projection.view();
        depth_ = projection.voxels(view.away);
        rise_right_ = spacing[view.away.stored] / (length(view.right) / double(projection.cells_wide()));
        rise_down_ = spacing[view.away.stored] / (length(view.down) / double(projection.cells_high()));
    }

    /// @return in [darkest_depth * darkest_slope, 1]
    double at(std::int64_t x, std::int64_t y) const {
        const double far = depth_ > 1 ? double(cell(x, y).depth) / double(depth_ - 1) : 0;
        return (1 - (1 - darkest_depth) * far) * slope_at(x, y);
    }

private:
    const Projection::Nearest& cell(std::int64_t x, std::int64_t y) const {
        return nearest_[std::size_t(y * projection_.cells_wide() + x)];
    }

    /// How much deeper the component is at the second cell than at the first, in voxels. Cells of other components do not count.
    double deeper(std::int64_t x, std::int64_t y, std::int64_t dx, std::int64_t dy) const {
        const Projection::Nearest& here = cell(x, y);
        double sum = 0;
        int neighbours = 0;
        for (const std::int64_t side : {-1, 1}) {
            const std::int64_t nx = x + side * dx, ny = y + side * dy;
            if (nx < 0 || ny < 0 || nx >= projection_.cells_wide() || ny >= projection_.cells_high()) continue;
            const Projection::Nearest& there = cell(nx, ny);
            if (there.label != here.label) continue;
            sum += double(side) * (double(there.depth) - double(here.depth));
            ++neighbours;
        }
        return neighbours ? sum / neighbours : 0;
    }

    /// Lambert's cosine law for a light from the upper left, in front of the picture: direction (-1, -1, -2) in (right, down, away).
    double slope_at(std::int64_t x, std::int64_t y) const {
        const double right = deeper(x, y, 1, 0) * rise_right_, down = deeper(x, y, 0, 1) * rise_down_;
        const double cosine = (2 - right - down) / std::sqrt(right * right + down * down + 1);  // 2 for a surface that faces the viewer
        return darkest_slope + (1 - darkest_slope) * std::clamp(cosine / 2, 0.0, 1.0);
    }

    const Projection& projection_;
    const std::vector<Projection::Nearest>& nearest_;
    std::int64_t depth_;
    double rise_right_, rise_down_;  // depth of one voxel, relative to the width and height of a cell
};

std::vector<Colour> colours_of_cells(const Projection& projection, const Window& window, const std::array<double, 3>& spacing) {
    const Shading shading(projection, spacing);
    std::vector<Colour> colours;
    for (std::int64_t y = 0; y < projection.cells_high(); ++y)
        for (std::int64_t x = 0; x < projection.cells_wide(); ++x) {
            const std::size_t cell = colours.size();
            const std::uint64_t label = projection.nearest()[cell].label;
            const auto grey = std::uint8_t(std::lround(brightest_grey * window.part(projection.values()[cell])));
            colours.push_back(label ? scaled(colour_of(label), shading.at(x, y)) : Colour{grey, grey, grey});
        }
    return colours;
}

}  // namespace

void draw_projection(const Projection& projection, const Window& window, const std::array<double, 3>& spacing, const Box& box,
                     Canvas& canvas) {
    const std::vector<Colour> colours = colours_of_cells(projection, window, spacing);
    const auto label_at = [&](std::int64_t x, std::int64_t y) {
        return projection.nearest()[projection.cell_at(std::min(x, box.width - 1), std::min(y, box.height - 1))].label;
    };
    for (std::int64_t y = 0; y < box.height; ++y)
        for (std::int64_t x = 0; x < box.width; ++x) {
            const std::uint64_t label = label_at(x, y), right = label_at(x + 1, y), below = label_at(x, y + 1);
            const bool separates = (label && right && label != right) || (label && below && label != below);
            const Colour& colour = colours[projection.cell_at(x, y)];
            canvas.set(box.left + x, box.top + y, separates ? scaled(colour, separating_line) : colour);
        }
}

void draw_letters(const View& view, const Box& box, std::int64_t margin_width, Canvas& canvas) {
    const auto draw = [&](std::string_view letters, std::int64_t x, std::int64_t y) {
        const std::string text(letters);
        canvas.text(x - text_width(text) / 2, y - letter_height / 2, text, text_colour);
    };
    const std::int64_t middle_x = box.left + box.width / 2, middle_y = box.top + box.height / 2;
    draw(view.right.first, box.left - margin_width / 2, middle_y);
    draw(view.right.last, box.left + box.width + margin_width / 2, middle_y);
    draw(view.down.first, middle_x, box.top - margin_width / 2);
    draw(view.down.last, middle_x, box.top + box.height + margin_width / 2);
}

}  // namespace voxcc::preview
