// The foreground of a rule as intervals of stored values, for CPU threads and for CUDA.
#pragma once
#include <voxcc/foreground.h>
#include "kernels3d/base/host_device.h"

#include <type_traits>
#include <vector>

namespace voxcc {

/// The stored values that are foreground: low..high, both inclusive (inside), or all other values (outside). `nan` alone decides about NaN.
// {2, 5, Side::inside} of u8: 2, 3, 4 and 5; {0, 0, Side::outside} of i16: all values but 0
template <class T>
struct ForegroundInterval {
    T low{}, high{};
    enum class Side : std::uint8_t { inside, outside } side = Side::inside;
    ForegroundRule::Nan nan = ForegroundRule::Nan::background;

    VOXCC_HD bool contains(T v) const {
        if constexpr (std::is_floating_point_v<T>)
            if (v != v) return nan == ForegroundRule::Nan::foreground;
        return side == Side::inside ? v >= low && v <= high : v < low || v > high;
    }
};

/// How the answers of several intervals are combined: a value is foreground if it is in one of them, or if it is in all of them.
enum class Combine : std::uint8_t { any, all };

/// The foreground of a rule. Rules with one or two bounds have one interval. Lists of values have one interval per stretch of consecutive
/// stored values.
// one of 1, 2, 7, of u8: {{1, 2, inside}, {7, 7, inside}}, any; none of 1, 2, 7: {{1, 2, outside}, {7, 7, outside}}, all
template <class T>
struct ForegroundIntervals {
    std::vector<ForegroundInterval<T>> intervals;  // at least one
    Combine combine = Combine::any;
};

/// The intervals of a rule.
/// @tparam T the type of a ScalarType
template <class T>
ForegroundIntervals<T> foreground_intervals(const ForegroundRule& rule);

}  // namespace voxcc
