#include "kernels3d/measure/float_runs.h"

#include <bit>
#include <cstring>

namespace voxcc {
namespace {

/// A floating-point format. Values whose exponents differ in the lowest `shift_bits` bits only have the same unit. The offset is chosen so
/// that usual values have one unit: float32 from 2^-16 to 2^16, float64 from 1 to 256 and from 1/256 to 1.
template <class T>
struct Format;
template <>
struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr int digits = 23, exponents = 255, shift_bits = 5, offset = 17;
};
template <>
struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr int digits = 52, exponents = 2047, shift_bits = 3, offset = 1;
};

/// The integer sums of up to 64 values with one unit. The powers are sums of products of 60-bit digits, without carries.
class Segment {
public:
    std::int32_t unit() const { return unit_; }
    bool is_full() const { return count_ == 64; }
    /// @param magnitude below 2^60 @param sign 0, or -1 for a negative value
    [[gnu::always_inline]] void add(std::uint64_t magnitude, std::int64_t sign, std::uint64_t x) {
        constexpr std::uint64_t digit = (std::uint64_t{1} << 60) - 1;
        const uint128 square = uint128(magnitude) * magnitude;
        const std::uint64_t low = std::uint64_t(square) & digit, high = std::uint64_t(square >> 60);
        const std::int64_t value = (std::int64_t(magnitude) ^ sign) - sign;
        s_.v += value;
        s_.vx += int128(value) * std::int64_t(x);
        s_.vv += square;
        s_.cubes[0] += int128(value) * std::int64_t(low), s_.cubes[1] += int128(value) * std::int64_t(high);
        s_.fourths[0] += uint128(low) * low, s_.fourths[1] += uint128(low) * high, s_.fourths[2] += uint128(high) * high;
        ++count_;
    }
    void begin(std::int32_t unit) { s_ = {}, count_ = 0, unit_ = unit; }
    /// Adds the sums of a row (y, z) to the sums of the unit.
    void add_to(FloatSums& all, std::uint64_t y, std::uint64_t z) const {
        if (count_ == 0) return;
        ScaledSums& sums = all.of(unit_);
        sums.v += s_.v;
        sums.vv.add_unsigned(s_.vv);
        sums.vx.add(s_.vx), sums.vy.add_product(s_.v, y), sums.vz.add_product(s_.v, z);
        sums.cubes.add(s_.cubes[0]), sums.cubes.add_shifted(s_.cubes[1], 60);
        sums.fourths.add_unsigned(s_.fourths[0]);
        sums.fourths.add_shifted(int128(s_.fourths[1]), 61), sums.fourths.add_shifted(int128(s_.fourths[2]), 120);
    }

private:
    struct Sums {
        int128 v, vx, cubes[2];
        uint128 vv, fourths[3];
    };
    Sums s_;  // without values before begin()
    std::int32_t unit_ = ScaledSums::no_unit, count_ = 0;
};

}  // namespace

template <class T>
CountedVoxels add_floats(FloatSums& sums, const ValueRun& run) {
    using Float = std::conditional_t<std::is_same_v<T, float>, float, double>;
    using F = Format<Float>;
    using Bits = typename F::Bits;
    constexpr int sign_bit = 8 * int(sizeof(Bits)) - 1;
    constexpr Bits shift_mask = (Bits{1} << F::shift_bits) - 1;
    CountedVoxels counted{run.count, run.sum_of_x()};
    std::array<Segment, 4> segments;  // by unit, so that values of alternating units are added up, too
    for (std::size_t i = 0; i < run.count; ++i) {
        T value;
        std::memcpy(&value, run.values + i * sizeof(T), sizeof(T));
        const auto bits = std::bit_cast<Bits>(Float(value));
        const Bits fraction = bits & ((Bits{1} << F::digits) - 1), exponent = bits >> F::digits & F::exponents;
        if (exponent == F::exponents) {
            if (fraction != 0) --counted.n, counted.x -= run.x + i;
            continue;
        }
        const Bits normal = exponent != 0, scale = exponent + !normal;  // the value is digits * 2^(scale - scale of 1 as an integer)
        const std::uint64_t digits = fraction | normal << F::digits;
        if (digits == 0) continue;
        const Bits shift = (scale + F::offset) & shift_mask;
        const auto unit = std::int32_t(scale - shift) - (F::exponents / 2 + F::digits);
        Segment& segment = segments[std::size_t((scale + F::offset) >> F::shift_bits) % segments.size()];
        if (unit != segment.unit() || segment.is_full()) segment.add_to(sums, run.y, run.z), segment.begin(unit);
        segment.add(digits << shift, -std::int64_t(bits >> sign_bit), run.x + i);
    }
    for (Segment& segment : segments) segment.add_to(sums, run.y, run.z);
    return counted;
}

template CountedVoxels add_floats<float>(FloatSums&, const ValueRun&);
template CountedVoxels add_floats<double>(FloatSums&, const ValueRun&);
template CountedVoxels add_floats<std::int64_t>(FloatSums&, const ValueRun&);
template CountedVoxels add_floats<std::uint64_t>(FloatSums&, const ValueRun&);

}  // namespace voxcc
