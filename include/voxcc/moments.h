// Moments of a set of voxels, and the operations on them: stretch, shift, merge, change of integer types.
//
// All operations are additions and multiplications of integers. They are exact modulo 2^bits of the integer type, so an intermediate
// result of an unsigned type may wrap. Signed types must not overflow.
#pragma once
#include <voxcc/host_device.h>

namespace voxcc {

/// The number of voxels, the sums of their coordinates and the sums of the products of two coordinates.
/// @tparam First type of n, x, y, z
/// @tparam Second type of the sums of products; at least as wide as First
// voxels = (1, 0, 4), (2, 0, 4)  ->  n 2, x 3, y 0, z 8, xx 5, yy 0, zz 32, xy 0, xz 12, yz 0
template <class First, class Second = First>
struct Moments {
    First n = 0, x = 0, y = 0, z = 0;
    Second xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    /// The voxels (first, 0, 0), (first + 1, 0, 0), ..., (first + length - 1, 0, 0).
    /// @param length at least 1; length^2 must fit First, length^3 must fit Second
    // first = 3, length = 2  ->  n 2, x 7, xx 25
    [[gnu::always_inline]] VOXCC_HD static constexpr Moments stretch(First first, First length) {
        const First ramp = length * (length - 1) / 2;  // 0 + 1 + ... + (length - 1)
        // 0^2 + 1^2 + ... + (length - 1)^2. The product before the division is less than length^3.
        const Second squares = Second(ramp) * (Second(2) * length - 1) / 3;
        Moments s;
        s.n = length, s.x = length * first + ramp;
        s.xx = Second(first) * (Second(s.x) + ramp) + squares;
        return s;
    }

    /// The same voxels after a move by (dx, dy, dz). A negative distance of an unsigned type is its two's complement; then Second must
    /// be First.
    // n 1, x 3, xx 9 shifted by (2, 0, 1)  ->  n 1, x 5, z 1, xx 25, zz 1, xz 5
    [[gnu::always_inline]] VOXCC_HD constexpr Moments shifted(First dx, First dy, First dz) const {
        Moments s;
        s.n = n, s.x = dx * n + x, s.y = dy * n + y, s.z = dz * n + z;
        const Second X = dx, Y = dy, Z = dz;
        s.xx = X * (Second(s.x) + x) + xx, s.yy = Y * (Second(s.y) + y) + yy, s.zz = Z * (Second(s.z) + z) + zz;
        s.xy = Y * s.x + X * y + xy, s.xz = Z * s.x + X * z + xz, s.yz = Z * s.y + Y * z + yz;
        return s;
    }

    /// The same moments in other types. Negative values become two's complements. Values that do not fit are taken modulo 2^bits.
    template <class ToFirst, class ToSecond = ToFirst>
    [[gnu::always_inline]] VOXCC_HD constexpr Moments<ToFirst, ToSecond> as() const {
        return {ToFirst(n),   ToFirst(x),   ToFirst(y),   ToFirst(z),   ToSecond(xx),
                ToSecond(yy), ToSecond(zz), ToSecond(xy), ToSecond(xz), ToSecond(yz)};
    }

    /// Calls f(sum, sum of o) for each of the ten sums, in the order of their declaration.
    template <class OtherFirst, class OtherSecond, class F>
    [[gnu::always_inline]] VOXCC_HD constexpr void for_each_with(const Moments<OtherFirst, OtherSecond>& o, const F& f) {
        f(n, o.n), f(x, o.x), f(y, o.y), f(z, o.z);
        f(xx, o.xx), f(yy, o.yy), f(zz, o.zz), f(xy, o.xy), f(xz, o.xz), f(yz, o.yz);
    }

    /// The moments of the union of two sets without a common voxel.
    template <class OtherFirst, class OtherSecond>
    [[gnu::always_inline]] VOXCC_HD constexpr Moments& operator+=(const Moments<OtherFirst, OtherSecond>& o) {
        for_each_with(o, [](auto& to, const auto& part) { to += part; });
        return *this;
    }

    bool operator==(const Moments&) const = default;
};

}  // namespace voxcc
