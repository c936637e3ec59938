#include "src/pipeline/preview/layout.h"

#include <algorithm>
#include <cmath>

namespace voxcc::preview {
namespace {

struct Size {
    double width = 0, height = 0;
};

/// The sizes of the views in units of the smallest spacing that they show.
struct Sizes {
    std::vector<Size> views;
    double unit;
};

Sizes sizes_of(const std::vector<View>& views, const Extent& extent, const std::array<double, 3>& spacing) {
    double unit = spacing[views[0].right.stored];
    for (const View& view : views) unit = std::min({unit, spacing[view.right.stored], spacing[view.down.stored]});
    const auto length = [&](const ViewAxis& axis) { return double(voxels_along(extent, axis.stored)) * (spacing[axis.stored] / unit); };
    Sizes sizes{{}, unit};
    for (const View& view : views) sizes.views.push_back({length(view.right), length(view.down)});
    return sizes;
}

/// The least size of the caption, and its place.
struct PlacedCaption {
    Box size;
    enum class Place : std::uint8_t { beside, below } place = Place::beside;
    std::int64_t height_below() const { return place == Place::below ? size.height : 0; }
};

/// The grid in which the views are placed.
struct Grid {
    Size total;                 // of all views
    std::int64_t other_width;   // pixels of margins
    std::int64_t other_height;  // pixels of margins and caption
};

Grid grid_of(const std::vector<Size>& views, const PlacedCaption& caption, std::int64_t margin_width) {
    if (views.size() == 1) return {views[0], 2 * margin_width, 2 * margin_width + caption.height_below()};
    return {{std::max(views[0].width, views[2].width) + views[1].width, std::max(views[0].height, views[1].height) + views[2].height},
            4 * margin_width,
            4 * margin_width + caption.height_below()};
}

double scale_that_fits(const Grid& grid, const ViewLimits& limits) {
    // One pixel less per edge: a view has at least one pixel, also if it should have less.
    const double scale = std::min(double(limits.width - 1 - grid.other_width) / grid.total.width,
                                  double(limits.height - 1 - grid.other_height) / grid.total.height);
    // An affine with rounding errors must not change the factor. The tolerance is less than a hundredth of a pixel of the picture.
    const double factor = std::floor(scale * (1 + 1e-6));
    return factor >= limits.least_whole_scale ? factor : scale;
}

Box panel_of(const Size& view, double scale) {
    // Without the small addition, a length such as 511.9999 would lose a pixel.
    const auto pixels = [&](double length) { return std::max<std::int64_t>(1, std::int64_t(std::floor(length * scale + 1e-2))); };
    return {0, 0, pixels(view.width), pixels(view.height)};
}

/// The box in the middle of a larger box.
Box centred(const Box& box, const Box& in) {
    return {in.left + (in.width - box.width) / 2, in.top + (in.height - box.height) / 2, box.width, box.height};
}

/// Two cells of the grid on its diagonal, with margins: the cell of view 0, and the cell of the caption. The second is empty for one view.
struct Diagonal {
    Box first, second;
};

Diagonal diagonal_of(const std::vector<Box>& panels, std::int64_t margin_width) {
    if (panels.size() == 1) return {{0, 0, panels[0].width + 2 * margin_width, panels[0].height + 2 * margin_width}, {}};
    const std::int64_t width = std::max(panels[0].width, panels[2].width) + 2 * margin_width;
    const std::int64_t height = std::max(panels[0].height, panels[1].height) + 2 * margin_width;
    return {{0, 0, width, height}, {width, height, panels[1].width + 2 * margin_width, panels[2].height + 2 * margin_width}};
}

Layout layout_with(const Sizes& sizes, const PlacedCaption& caption, const ViewLimits& limits) {
    const double scale = scale_that_fits(grid_of(sizes.views, caption, limits.margin), limits);
    Layout layout;
    layout.pixels_per_unit = scale / sizes.unit;
    for (const Size& view : sizes.views) layout.panels.push_back(panel_of(view, scale));
    auto [first, second] = diagonal_of(layout.panels, limits.margin);
    layout.width = std::max(first.width + second.width, caption.size.width);
    layout.height = first.height + second.height;
    first.left = (layout.width - first.width - second.width) / 2;
    second.left = first.left + first.width;
    layout.panels[0] = centred(layout.panels[0], first);
    if (layout.panels.size() == 3) {
        layout.panels[1] = centred(layout.panels[1], {second.left, 0, second.width, first.height});
        layout.panels[2] = centred(layout.panels[2], {first.left, second.top, first.width, second.height});
    }
    layout.caption = second;
    if (caption.place == PlacedCaption::Place::below) {
        layout.caption = {0, layout.height, layout.width, caption.size.height};
        layout.height += caption.size.height;
    }
    return layout;
}

}  // namespace

Layout layout_of(const std::vector<View>& views, const Extent& extent, const std::array<double, 3>& spacing, const Box& caption,
                 const ViewLimits& limits) {
    const Sizes sizes = sizes_of(views, extent, spacing);
    Layout layout = layout_with(sizes, {caption, PlacedCaption::Place::beside}, limits);
    if (layout.caption.width >= caption.width && layout.caption.height >= caption.height) return layout;
    return layout_with(sizes, {caption, PlacedCaption::Place::below}, limits);
}

}  // namespace voxcc::preview
