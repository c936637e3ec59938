#include "kernels3d/measure/power_sums.h"

namespace voxcc {

void IntegerSums::add(const IntegerSums& o) {
    v += o.v, vv += o.vv, vx += o.vx, vy += o.vy, vz += o.vz;
    cubes.add(o.cubes), fourths.add(o.fourths);
}

void ScaledSums::add(const ScaledSums& o) {
    v += o.v;
    vv.add(o.vv), vx.add(o.vx), vy.add(o.vy), vz.add(o.vz);
    cubes.add(o.cubes), fourths.add(o.fourths);
}

ScaledSums& FloatSums::of_other(std::int32_t unit) {
    if (first_.unit == ScaledSums::no_unit) {
        first_.unit = unit;
        return first_;
    }
    const auto at = std::ranges::lower_bound(more_, unit, {}, &ScaledSums::unit);
    if (at != more_.end() && at->unit == unit) return *at;
    ScaledSums sums;
    sums.unit = unit;
    return *more_.insert(at, sums);
}

void FloatSums::add(const FloatSums& other) {
    other.for_each([this](const ScaledSums& sums) { of(sums.unit).add(sums); });
}

}  // namespace voxcc
