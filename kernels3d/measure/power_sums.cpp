#include "kernels3d/measure/power_sums.h"

namespace voxcc {

template <Powers P>
void IntegerSums<P>::add(const IntegerSums& o) {
    v += o.v, vv += o.vv, vx += o.vx, vy += o.vy, vz += o.vz;
    HigherPowers<P, 3, 3>::add(o);
}

template <Powers P>
void ScaledSums<P>::add(const ScaledSums& o) {
    v += o.v;
    vv.add(o.vv), vx.add(o.vx), vy.add(o.vy), vz.add(o.vz);
    HigherPowers<P, 4, 5>::add(o);
}

template <Powers P>
ScaledSums<P>& FloatSums<P>::of_other(std::int32_t unit) {
    if (first_.unit == OfUnit::no_unit) {
        first_.unit = unit;
        return first_;
    }
    const auto at = std::ranges::lower_bound(more_, unit, {}, &OfUnit::unit);
    if (at != more_.end() && at->unit == unit) return *at;
    OfUnit sums;
    sums.unit = unit;
    return *more_.insert(at, sums);
}

template <Powers P>
void FloatSums<P>::add(const FloatSums& other) {
    other.for_each([this](const OfUnit& sums) { of(sums.unit).add(sums); });
}

template struct IntegerSums<Powers::two>;
template struct IntegerSums<Powers::four>;
template struct ScaledSums<Powers::two>;
template struct ScaledSums<Powers::four>;
template class FloatSums<Powers::two>;
template class FloatSums<Powers::four>;

}  // namespace voxcc
