// The rule "differ by at most a limit" for two values. All algorithms and devices use these functions, so that they agree on every pair.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/volume.h>
#include "kernels3d/base/host_device.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

namespace voxcc {

/// Whether a and b are equal, or their difference is at most `most`. The difference is exact, not rounded. A NaN is near no value.
/// Infinities are near equal infinities; under an infinite limit, all numbers are near each other.
/// @tparam Real float or double
/// @param most at least 0, not NaN
// 1 and -2^-60, most = 1  ->  false: the difference is above 1, but rounds to 1
template <class Real>
VOXCC_HD constexpr bool is_near(Real a, Real b, std::type_identity_t<Real> most) requires std::is_floating_point_v<Real> {
    if (a == b) return true;
    const Real difference = a - b, size = difference < 0 ? -difference : difference;
    if (size != most) return size < most;
    // The rounded difference is the limit. So the sign of the rounding error decides. (Knuth, The Art of Computer Programming 2, 4.2.2.)
    const Real of_b = a - difference, of_a = difference + of_b;
    const Real error = (a - of_a) + (of_b - b);
    return !((difference < 0 ? -error : error) > 0);
}

/// The limit for integers of type T, as the unsigned type of the same width: `most` rounded down, or the largest difference of two T.
template <class T>
constexpr std::make_unsigned_t<T> whole_limit(const Bound& most) {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr Unsigned largest = std::numeric_limits<Unsigned>::max();
    return most.whole >= int128(largest) ? largest : Unsigned(most.whole);
}

/// The unsigned type of an integer type. Unlike std::make_unsigned, it may be named for floats, which have no such type.
template <class T>
struct UnsignedOf {};
template <class T>
requires std::is_integral_v<T>
struct UnsignedOf<T> : std::make_unsigned<T> {
};

/// Whether the difference of two integers is at most `most`. The difference is exact; it does not wrap around.
template <class Integer>
VOXCC_HD constexpr bool is_near(Integer a, Integer b, typename UnsignedOf<Integer>::type most) {
    using Unsigned = std::make_unsigned_t<Integer>;
    return Unsigned(a < b ? Unsigned(b) - Unsigned(a) : Unsigned(a) - Unsigned(b)) <= most;
}

/// is_near() for two stored values of a type that is known at run time, at any address. Floats are compared as doubles, which is exact.
/// @param most at least 0; rounded down for integers
inline bool is_near_stored(ScalarType type, const std::byte* a, const std::byte* b, const Bound& most) {
    return visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        T x, y;
        std::memcpy(&x, a, sizeof x);
        std::memcpy(&y, b, sizeof y);
        if constexpr (std::is_floating_point_v<T>) return is_near(double(x), double(y), most.real);
        else return is_near(x, y, whole_limit<T>(most));
    });
}

}  // namespace voxcc
