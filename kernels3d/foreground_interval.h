// The foreground of a rule as an interval of stored values, for CPU threads and for CUDA.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/host_device.h>

#include <type_traits>

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

/// The interval of a rule.
/// @tparam T the type of a ScalarType
template <class T>
ForegroundInterval<T> foreground_interval(const ForegroundRule& rule);

}  // namespace voxcc
