#include "python/src/shape_columns.h"

#include <cmath>

namespace voxcc::python {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The axes of a frame as axes of the array. Axes::none: the array has no such axis.
std::array<int, 3> frame_axes(int dimensions, int slice_axis) {
    std::array<int, 3> axes{Axes::none, Axes::none, Axes::none};
    std::size_t next = 0;
    for (int axis = 0; axis < dimensions; ++axis)
        if (axis != slice_axis) axes[next++] = axis;
    if (slice_axis != Axes::none) axes[2] = slice_axis;
    return axes;
}

double size_along(int axis, const Spacing& spacing) {
    return spacing && axis != Axes::none && std::size_t(axis) < spacing->size() ? (*spacing)[std::size_t(axis)] : 1;
}

World world_of_frame(const std::array<int, 3>& frame, const Spacing& spacing) {
    World world;
    for (std::size_t i = 0; i < 3; ++i) world.affine[i][i] = size_along(frame[i], spacing);
    return world;
}

/// Maps the indices of the engine to positions in the frame. An axis of the engine without voxels belongs to an axis of length 1.
World world_of_engine(const std::array<int, 3>& frame, const std::array<int, 3>& from, const Spacing& spacing) {
    World world;
    std::array<bool, 3> used{};
    for (const int axis : from)
        if (axis != Axes::none) used[std::size_t(axis)] = true;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto column = from[i] != Axes::none ? std::size_t(from[i]) : std::size_t(std::ranges::find(used, false) - used.begin());
        used[column] = true;
        world.affine[i][column] = size_along(frame[i], spacing);
    }
    return world;
}

std::array<int, 3> engine_axes_of(const Axes& axes, const std::array<int, 3>& frame) {
    std::array<int, 3> from{};
    for (std::size_t i = 0; i < 3; ++i) from[i] = frame[i] == Axes::none ? Axes::none : axes.engine_axis(frame[i]);
    return from;
}

}  // namespace

ShapeFrame::ShapeFrame(const Axes& axes, int dimensions, int slice_axis, const Spacing& spacing)
    : space_(dimensions < 3 || slice_axis != Axes::none ? Space::plane : Space::volume),
      dimensions_(dimensions),
      axes_(frame_axes(dimensions, slice_axis)),
      from_(engine_axes_of(axes, axes_)),
      world_(world_of_frame(axes_, spacing)),
      engine_world_(world_of_engine(axes_, from_, spacing)),
      scale_(world_, space_) {
    if (space_ == Space::plane || axes.extent.nz > 1) return;
    for (const auto& row : engine_world_.affine) thickness_ = std::max(thickness_, row[2]);
}

ShapeCounts ShapeFrame::turned(const ShapeCounts& counts) const {
    ShapeCounts result{.euler = counts.euler};
    for (std::size_t d = 0; d < counts.pairs.size(); ++d) {
        std::array<int, 3> step{}, opposite{};
        for (std::size_t i = 0; i < 3; ++i)
            if (from_[i] != Axes::none) step[i] = shape_directions[d][std::size_t(from_[i])], opposite[i] = -step[i];
        const auto found = std::ranges::find_if(shape_directions, [&](const auto& v) { return v == step || v == opposite; });
        // Directions along axes of length 1 have no pairs.
        if (found != shape_directions.end()) result.pairs[std::size_t(found - shape_directions.begin())] += counts.pairs[d];
    }
    return result;
}

ShapeProperties ShapeFrame::describe(const MeasuredComponent& component, const ShapeCounts& counts, std::optional<double> feret) const {
    const Properties properties = voxcc::describe(permuted(component.sums, from_), {}, world_, permuted(component.wrapping, from_));
    if (feret) feret = std::hypot(*feret, thickness_);
    return describe_shape(properties, turned(counts), feret, scale_);
}

void add_shape(Columns& table, const ShapeTable& shapes, const std::function<ShapedComponent(std::size_t)>& component,
               const ShapeFrame& frame) {
    using S = ShapeProperties;
    ObjectColumns<S> columns(table);
    const auto add = [&](const std::string& name, std::optional<double> S::*member) {
        columns.add<double>(name, [member](const S& s) { return (s.*member).value_or(none); });
    };
    const bool flat = frame.space() == Space::plane;
    add(flat ? "perimeter" : "surface", &S::surface_mm2);
    add(flat ? "perimeter_sides" : "surface_faces", &S::surface_faces_mm2);
    columns.add<std::int64_t>("euler_number", [](const S& s) { return s.euler_number; });
    add("sphericity", &S::sphericity);
    add("equivalent_diameter", &S::equivalent_diameter_mm);
    columns.add<double>("extent", [](const S& s) { return s.extent; });
    add("feret", &S::feret_mm);
    const auto count = std::size_t(flat ? std::min(frame.dimensions(), 2) : 3);
    for (std::size_t n = 0; n < count; ++n)
        for (int axis = 0; axis < frame.dimensions(); ++axis)
            columns.add<double>("axis_" + std::to_string(n + 1) + "_" + std::to_string(axis),
                                [n, a = frame.frame_axis(axis)](const S& s) { return s.axes ? (*s.axes)[n][a] : none; });
    for (std::size_t n = 0; n < count; ++n)
        columns.add<double>("axis_" + std::to_string(n + 1) + "_length",
                            [n](const S& s) { return s.axis_lengths_mm ? (*s.axis_lengths_mm)[n] : none; });
    columns.fill([&](std::size_t row) {
        const ShapedComponent c = component(row);
        return frame.describe(c.measured, shapes.counts(c.row), shapes.feret_mm(c.row));
    });
}

}  // namespace voxcc::python
