#include "python/src/tree.h"

#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <algorithm>

namespace voxcc::python {
namespace {

/// Enhances the map with a number.
void enhance_map(const Maps& maps, std::int64_t number, const TfceRule& rule, Connectivity connectivity, Sides sides) {
    const std::int64_t voxels = maps.extent.voxels();
    const ScalarType type = maps.values.type(), result = maps.enhanced.type();
    const VolumeView view{maps.values.data() + number * voxels * size_of(type), type, maps.extent, dense(maps.extent, size_of(type))};
    std::byte* const out = maps.enhanced.data() + number * voxels * size_of(result);
    for (const auto extrema : {TreeRule::Extrema::maxima, TreeRule::Extrema::minima}) {
        if (extrema == TreeRule::Extrema::minima && sides == Sides::positive) break;
        const ComponentTree tree = component_tree(view, {connectivity, extrema, TreeRule::Values::above_zero, nullptr}, {.subject = "x"});
        if (result == ScalarType::f32) write_tfce(tree, rule, std::span(reinterpret_cast<float*>(out), std::size_t(voxels)));
        else write_tfce(tree, rule, std::span(reinterpret_cast<double*>(out), std::size_t(voxels)));
    }
}

}  // namespace

void enhance_maps(const Maps& maps, const TfceRule& rule, Connectivity connectivity, Sides sides, int threads) {
    const WithoutGil no_gil;
    Signals signals;
    CallPool pool(int(std::min<std::int64_t>(threads_of_call(threads, maps.values.bytes()), maps.count)));
    pool.for_each(maps.count, [&](std::int64_t number) {
        signals.check();
        enhance_map(maps, number, rule, connectivity, sides);
    });
}

}  // namespace voxcc::python
