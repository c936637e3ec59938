#include "python/src/columns.h"

namespace voxcc::python {
namespace {

/// A world whose axes are the axes of the engine.
std::optional<World> world_of(const Spacing& spacing, const Axes& axes) {
    if (!spacing) return std::nullopt;
    World world;
    for (std::size_t e = 0; e < 3; ++e)
        world.affine[e][e] = axes.array_axis[e] == Axes::none ? 1 : (*spacing)[std::size_t(axes.array_axis[e])];
    return world;
}

/// Index in Properties::covariance of the engine's axes a and b: ii ij ik jj jk kk.
int covariance_index(int a, int b) { return std::min(a, b) * (5 - std::min(a, b)) / 2 + std::max(a, b); }

}  // namespace

void add_properties(Columns& columns, std::size_t rows, const std::function<WideSums(std::size_t)>& sums, const Axes& axes, int dimensions,
                    const Spacing& spacing) {
    const std::optional<World> world = world_of(spacing, axes);
    std::vector<Properties> all;
    all.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) all.push_back(describe(sums(row), axes.extent, world));
    columns.add<std::uint64_t>("voxels", [&](std::size_t row) { return all[row].voxels; });
    const auto name = [](const char* prefix, int axis, const char* suffix = "") { return prefix + std::to_string(axis) + suffix; };
    for (int axis = 0; axis < dimensions; ++axis) {
        const int e = axes.engine_axis(axis);
        columns.add<double>(name("centroid_", axis), [&](std::size_t row) { return e < 0 ? 0 : all[row].centroid[std::size_t(e)]; });
    }
    for (int axis = 0; axis < dimensions; ++axis) {
        const int e = axes.engine_axis(axis);
        columns.add<std::int64_t>(name("bbox_", axis, "_min"),
                                  [&](std::size_t row) { return e < 0 ? 0 : all[row].box[std::size_t(2 * e)]; });
        columns.add<std::int64_t>(name("bbox_", axis, "_max"),
                                  [&](std::size_t row) { return e < 0 ? 1 : all[row].box[std::size_t(2 * e + 1)] + 1; });
    }
    for (int a = 0; a < dimensions; ++a)
        for (int b = a; b < dimensions; ++b) {
            const int ea = axes.engine_axis(a), eb = axes.engine_axis(b);
            columns.add<double>(name("cov_", a) + std::to_string(b), [&](std::size_t row) {
                return ea < 0 || eb < 0 ? 0 : all[row].covariance[std::size_t(covariance_index(ea, eb))];
            });
        }
    if (!world) return;
    double volume_of_thin_axes = 1;  // the spacings of axes of length 1
    for (int axis = 0; axis < dimensions; ++axis)
        if (axes.engine_axis(axis) < 0) volume_of_thin_axes *= (*spacing)[std::size_t(axis)];
    columns.add<double>("volume", [&](std::size_t row) { return all[row].volume_mm3 * volume_of_thin_axes; });
    for (int k = 0; k < dimensions; ++k)
        columns.add<double>(name("axis_", k + 1), [&](std::size_t row) { return all[row].axes_mm[std::size_t(k)]; });
    if (dimensions > 1) columns.add<double>("elongation", [&](std::size_t row) { return all[row].elongation; });
    if (dimensions > 2) columns.add<double>("flatness", [&](std::size_t row) { return all[row].flatness; });
}

void add_intensities(Columns& columns, const IntensitySums& sums, std::size_t rows, const std::function<std::uint64_t(std::size_t)>& number,
                     const Axes& axes, int dimensions) {
    std::vector<IntensityProperties> all;
    all.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) all.push_back(sums.properties(number(row), {}, std::nullopt));
    const auto add = [&](const char* name, double IntensityProperties::*member) {
        columns.add<double>(name, [&](std::size_t row) { return all[row].*member; });
    };
    add("intensity_mean", &IntensityProperties::mean);
    add("intensity_std", &IntensityProperties::standard_deviation);
    add("intensity_min", &IntensityProperties::min);
    add("intensity_max", &IntensityProperties::max);
    add("intensity_sum", &IntensityProperties::sum);
    for (int axis = 0; axis < dimensions; ++axis) {
        const int e = axes.engine_axis(axis);
        columns.add<double>("intensity_weighted_centroid_" + std::to_string(axis), [&](std::size_t row) {
            // A component whose values add up to 0 has no weighted centroid, also along an axis of length 1.
            const auto& centroid = all[row].weighted_centroid;
            return e < 0 ? 0 * centroid[0] : centroid[std::size_t(e)];
        });
    }
}

}  // namespace voxcc::python
