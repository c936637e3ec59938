#include "kernels3d/measure/float_runs.h"

#include "kernels3d/measure/float_blocks.h"

#include <array>
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
template <Powers P>
class Segment {
public:
    std::int32_t unit() const { return unit_; }
    bool is_full() const { return count_ == 64; }
    /// @param magnitude below 2^60 @param sign 0, or -1 for a negative value
    [[gnu::always_inline]] void add(std::uint64_t magnitude, std::int64_t sign, std::uint64_t x) {
        const uint128 square = uint128(magnitude) * magnitude;
        const std::int64_t value = (std::int64_t(magnitude) ^ sign) - sign;
        s_.v += value;
        s_.vx += int128(value) * std::int64_t(x);
        s_.vv += square;
        if constexpr (P == Powers::four) {
            constexpr std::uint64_t digit = (std::uint64_t{1} << 60) - 1;
            const std::uint64_t low = std::uint64_t(square) & digit, high = std::uint64_t(square >> 60);
            s_.cubes[0] += int128(value) * std::int64_t(low), s_.cubes[1] += int128(value) * std::int64_t(high);
            s_.fourths[0] += uint128(low) * low, s_.fourths[1] += uint128(low) * high, s_.fourths[2] += uint128(high) * high;
        }
        ++count_;
    }
    void begin(std::int32_t unit) { s_ = {}, count_ = 0, unit_ = unit; }
    /// Adds the sums of a row (y, z) to the sums of the unit.
    void add_to(FloatSums<P>& all, std::uint64_t y, std::uint64_t z) const {
        if (count_ == 0) return;
        ScaledSums<P>& sums = all.of(unit_);
        sums.v += s_.v;
        sums.vv.add_unsigned(s_.vv);
        sums.vx.add(s_.vx), sums.vy.add_product(s_.v, y), sums.vz.add_product(s_.v, z);
        if constexpr (P == Powers::four) {
            sums.cubes.add(s_.cubes[0]), sums.cubes.add_shifted(s_.cubes[1], 60);
            sums.fourths.add_unsigned(s_.fourths[0]);
            sums.fourths.add_shifted(int128(s_.fourths[1]), 61), sums.fourths.add_shifted(int128(s_.fourths[2]), 120);
        }
    }

private:
    struct FirstAndSecond {
        int128 v, vx;
        uint128 vv;
    };
    struct All : FirstAndSecond {
        int128 cubes[2];
        uint128 fourths[3];
    };
    std::conditional_t<P == Powers::four, All, FirstAndSecond> s_;  // without values before begin()
    std::int32_t unit_ = ScaledSums<P>::no_unit, count_ = 0;
};

template <class T>
using FloatOf = std::conditional_t<std::is_same_v<T, float>, float, double>;

/// A value sign * digits * 2^(scale - scale of 1 as an integer).
template <class Float>
struct Parts {
    using F = Format<Float>;
    using Bits = typename F::Bits;
    static constexpr Bits shift_mask = (Bits{1} << F::shift_bits) - 1;
    Bits bits, fraction, exponent, scale;
    std::uint64_t digits;

    explicit Parts(Float value)
        : bits(std::bit_cast<Bits>(value)), fraction(bits & ((Bits{1} << F::digits) - 1)), exponent(bits >> F::digits & F::exponents) {
        const Bits normal = exponent != 0;
        scale = exponent + !normal, digits = fraction | normal << F::digits;
    }
    bool is_finite() const { return exponent != F::exponents; }
    std::int64_t sign() const { return -std::int64_t(bits >> (8 * sizeof(Bits) - 1)); }
    Bits shift() const { return (scale + F::offset) & shift_mask; }
    std::int32_t unit() const { return std::int32_t(scale - shift()) - (F::exponents / 2 + F::digits); }
};

template <class T>
FloatOf<T> value_at(const ValueRun& run, std::size_t i) {
    T value;
    std::memcpy(&value, run.values + i * sizeof(T), sizeof(T));
    return FloatOf<T>(value);
}

/// Same as sum_block(), for few values.
template <class T>
std::optional<BlockSums> sum_few(const ValueRun& run, std::int32_t unit) {
    FloatOf<T> least = value_at<T>(run, 0), largest = least;
    BlockSums sums;
    for (std::size_t i = 0; i < run.count; ++i) {
        const FloatOf<T> v = value_at<T>(run, i);
        const Parts value(v);
        if (v != 0 && (value.unit() != unit || !value.is_finite())) return std::nullopt;
        least = v < least ? v : least, largest = v > largest ? v : largest;
        const auto magnitude = std::int64_t(value.digits << value.shift());
        const std::int64_t sign = value.sign(), signed_value = (magnitude ^ sign) - sign;
        sums.v += signed_value;
        sums.vx += int128(signed_value) * std::int64_t(i);
        sums.vv += uint128(std::uint64_t(magnitude)) * std::uint64_t(magnitude);
    }
    sums.least = least, sums.largest = largest;
    return sums;
}

}  // namespace

template <class T, Powers P>
CountedVoxels add_floats(FloatSums<P>& sums, const ValueRun& run) {
    using F = Format<FloatOf<T>>;
    CountedVoxels counted{run.count, run.sum_of_x()};
    std::array<Segment<P>, 4> segments;  // by unit, so that values of alternating units are added up, too
    for (std::size_t i = 0; i < run.count; ++i) {
        const Parts value(value_at<T>(run, i));
        if (!value.is_finite()) {
            if (value.fraction != 0) --counted.n, counted.x -= run.x + i;
            continue;
        }
        if (value.digits == 0) continue;
        Segment<P>& segment = segments[std::size_t((value.scale + F::offset) >> F::shift_bits) % segments.size()];
        if (value.unit() != segment.unit() || segment.is_full()) segment.add_to(sums, run.y, run.z), segment.begin(value.unit());
        segment.add(value.digits << value.shift(), value.sign(), run.x + i);
    }
    for (Segment<P>& segment : segments) segment.add_to(sums, run.y, run.z);
    return counted;
}

template <class T>
bool add_value(FloatSums<Powers::two>& sums, const ValueRun& run) {
    const Parts value(value_at<T>(run, 0));
    if (!value.is_finite() || value.exponent == 0) return false;
    const auto magnitude = std::int64_t(value.digits << value.shift());
    const int128 signed_value = value.sign() < 0 ? -magnitude : magnitude;
    ScaledSums<Powers::two>& of_unit = sums.of(value.unit());
    of_unit.v += signed_value;
    of_unit.vv.add_unsigned(uint128(std::uint64_t(magnitude)) * std::uint64_t(magnitude));
    of_unit.vx.add(signed_value * std::int64_t(run.x));
    of_unit.vy.add(signed_value * std::int64_t(run.y)), of_unit.vz.add(signed_value * std::int64_t(run.z));
    return true;
}

template <class T>
std::optional<ValueExtremes> add_block(FloatSums<Powers::two>& sums, const ValueRun& run) {
    using F = Format<FloatOf<T>>;
    // All values of a usual unit are normal. The digits of a normal value are at least 2^F::digits.
    constexpr UnitRange range{double(std::uint64_t{1} << F::digits), double(std::uint64_t{1} << (F::digits + (1 << F::shift_bits)))};
    const std::size_t middle = run.count / 2;  // the first value of a component is often close to 0
    const Parts value(value_at<T>(run, middle));
    if (!value.is_finite() || value.exponent == 0) return std::nullopt;
    const Isa isa = default_isa();
    const bool is_short = isa == Isa::portable || run.count < 32;  // without AVX2, vectors of doubles are slower
    const std::optional<BlockSums> block =
        is_short ? sum_few<T>(run, value.unit()) : sum_block<T>(isa, run.values, run.count, value.unit(), range);
    if (!block) return std::nullopt;
    ScaledSums<Powers::two>& of_unit = sums.of(value.unit());
    of_unit.v += block->v;
    of_unit.vv.add_unsigned(block->vv);
    of_unit.vx.add(block->vx + block->v * std::int64_t(run.x));
    of_unit.vy.add_product(block->v, run.y), of_unit.vz.add_product(block->v, run.z);
    return ValueExtremes{block->least, block->largest};
}

#define VOXCC_INSTANTIATE(T)                                                         \
    template CountedVoxels add_floats<T>(FloatSums<Powers::two>&, const ValueRun&);  \
    template CountedVoxels add_floats<T>(FloatSums<Powers::four>&, const ValueRun&); \
    template bool add_value<T>(FloatSums<Powers::two>&, const ValueRun&);            \
    template std::optional<ValueExtremes> add_block<T>(FloatSums<Powers::two>&, const ValueRun&);
VOXCC_INSTANTIATE(float)
VOXCC_INSTANTIATE(double)
VOXCC_INSTANTIATE(std::int64_t)
VOXCC_INSTANTIATE(std::uint64_t)
#undef VOXCC_INSTANTIATE

}  // namespace voxcc
