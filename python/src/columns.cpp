#include "python/src/columns.h"

#include <cmath>

namespace voxcc::python {
namespace {

/// A world whose axes are the axes of the array.
std::optional<World> world_of(const Spacing& spacing, int dimensions) {
    if (!spacing) return std::nullopt;
    World world;
    for (std::size_t axis = 0; axis < 3; ++axis) world.affine[axis][axis] = int(axis) < dimensions ? (*spacing)[axis] : 1;
    return world;
}

/// Index in Properties::covariance of the axes a <= b: 00 01 02 11 12 22.
std::size_t covariance_index(int a, int b) { return std::size_t(a * (5 - a) / 2 + b); }

}  // namespace

WideSums permuted(const WideSums& s, const std::array<int, 3>& from) {
    const std::array<std::uint64_t, 3> first{s.x, s.y, s.z};
    const std::array<std::array<uint128, 3>, 3> second{{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
    const std::array<std::array<std::uint32_t, 2>, 3> box{{{s.x0, s.x1}, {s.y0, s.y1}, {s.z0, s.z1}}};
    const auto sum = [&](std::size_t i) { return from[i] < 0 ? 0 : first[std::size_t(from[i])]; };
    const auto product = [&](std::size_t i, std::size_t j) {
        return from[i] < 0 || from[j] < 0 ? 0 : second[std::size_t(from[i])][std::size_t(from[j])];
    };
    const auto bound = [&](std::size_t i, std::size_t end) { return from[i] < 0 ? 0 : box[std::size_t(from[i])][end]; };
    return {{s.n, sum(0), sum(1), sum(2), product(0, 0), product(1, 1), product(2, 2), product(0, 1), product(0, 2), product(1, 2)},
            bound(0, 0),
            bound(1, 0),
            bound(2, 0),
            bound(0, 1),
            bound(1, 1),
            bound(2, 1)};
}

Wrapping permuted(const Wrapping& wrapping, const std::array<int, 3>& from) {
    Wrapping result;
    for (std::size_t i = 0; i < 3; ++i) {
        if (from[i] < 0) continue;
        result.period[i] = wrapping.period[std::size_t(from[i])];
        result.wraps.axes[i] = wrapping.wraps.axes[std::size_t(from[i])];
    }
    return result;
}

void add_properties(Columns& table, const std::function<MeasuredComponent(std::size_t)>& component, const Axes& axes, int dimensions,
                    const Spacing& spacing) {
    const std::optional<World> world = world_of(spacing, dimensions);
    ObjectColumns<Properties> columns(table);
    columns.add<std::uint64_t>("voxels", [](const Properties& p) { return p.voxels; });
    const auto name = [](const char* prefix, int axis, const char* suffix = "") { return prefix + std::to_string(axis) + suffix; };
    for (int axis = 0; axis < dimensions; ++axis)
        columns.add<double>(name("centroid_", axis), [axis](const Properties& p) { return p.centroid[std::size_t(axis)]; });
    for (int axis = 0; axis < dimensions; ++axis) {
        columns.add<std::int64_t>(name("bbox_", axis, "_min"), [axis](const Properties& p) { return p.box[std::size_t(2 * axis)]; });
        columns.add<std::int64_t>(name("bbox_", axis, "_max"),
                                  [axis](const Properties& p) { return p.box[std::size_t(2 * axis + 1)] + 1; });
    }
    for (int a = 0; a < dimensions; ++a)
        for (int b = a; b < dimensions; ++b)
            columns.add<double>(name("cov_", a) + std::to_string(b),
                                [at = covariance_index(a, b)](const Properties& p) { return p.covariance[at]; });
    if (world) {
        columns.add<double>("volume", [](const Properties& p) { return p.volume_mm3; });
        for (int k = 0; k < dimensions; ++k)
            columns.add<double>(name("axis_", k + 1), [k](const Properties& p) { return p.axes_mm[std::size_t(k)]; });
        if (dimensions > 1) columns.add<double>("elongation", [](const Properties& p) { return p.elongation; });
        if (dimensions > 2) columns.add<double>("flatness", [](const Properties& p) { return p.flatness; });
    }
    // The lengths of the principal axes depend on the order of the axes by rounding, so this order must not depend on the layout in memory.
    const std::array<int, 3> from{axes.engine_axis(0), axes.engine_axis(1), axes.engine_axis(2)};
    columns.fill([&](std::size_t row) {
        const MeasuredComponent measured = component(row);
        return describe(permuted(measured.sums, from), {}, world, permuted(measured.wrapping, from));
    });
}

void add_intensities(Columns& table, const std::string& image_name, const IntensitySums& sums,
                     const std::function<NumberedComponent(std::size_t)>& component, const Axes& axes, int dimensions) {
    ObjectColumns<IntensityProperties> columns(table);
    const auto add = [&](const char* name, double IntensityProperties::*member) {
        columns.add<double>(image_name + name, [member](const IntensityProperties& p) { return p.*member; });
    };
    add("_mean", &IntensityProperties::mean);
    add("_std", &IntensityProperties::standard_deviation);
    add("_min", &IntensityProperties::min);
    add("_max", &IntensityProperties::max);
    add("_sum", &IntensityProperties::sum);
    for (int axis = 0; axis < dimensions; ++axis)
        columns.add<double>(image_name + "_weighted_centroid_" + std::to_string(axis),
                            [e = axes.engine_axis(axis)](const IntensityProperties& p) {
                                // A component whose values add up to 0 has no weighted centroid, also along an axis of length 1.
                                if (e < 0) return p.sum == 0 || std::isnan(p.sum) ? IntensityProperties::none : 0.0;
                                return p.weighted_centroid[std::size_t(e)];
                            });
    columns.fill([&](std::size_t row) {
        const NumberedComponent numbered = component(row);
        return sums.properties(numbered.number, {}, std::nullopt, numbered.wrapping);
    });
}

}  // namespace voxcc::python
