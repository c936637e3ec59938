// M is split into three digits of 20 bits, each a double: M = h 2^40 + m 2^20 + l. The sums of their products are integers below 2^53 times
// a power of two, so each operation with doubles is exact, with or without fused multiply-add.
#include "kernels3d/measure/float_blocks.h"

#include "kernels3d/measure/double_vectors.h"

#include <cmath>
#include <cstring>

namespace voxcc {
namespace {

VOXCC_INLINE double total(const Doubles& d) { return (d[0] + d[1]) + (d[2] + d[3]); }

/// An exact sum as an integer, modulo 2^128. @param sum a multiple of 2^bits, below 2^(53 + bits)
VOXCC_INLINE uint128 integer(const Doubles& sum, int bits) { return uint128(std::int64_t(total(sum) * std::ldexp(1.0, -bits))) << bits; }

/// The nearest multiples of 2^bits. @param d below 2^(51 + bits)
VOXCC_INLINE Doubles rounded(const Doubles& d, int bits) {
    const double big = rounding_number(bits);
    return (d + big) - big;
}

/// The sums of all vectors of a block.
struct Accumulators {
    Doubles v[3]{}, vx[3]{};  // by digit: h, m, l
    Doubles hh{}, hm{}, mm_hl{}, ml{}, ll{};
    Words refused{};

    /// @param d values M
    /// @param x numbers of the values in the block
    VOXCC_INLINE void add(const Doubles& d, const Doubles& x, const UnitRange& range) {
        const Doubles magnitude = d < 0 ? -d : d;
        refused |= ~(((magnitude >= range.least) & (magnitude < range.end)) | (d == 0));
        const Doubles h = rounded(d, 40), rest = d - h, m = rounded(rest, 20), l = rest - m;
        v[0] += h, v[1] += m, v[2] += l;
        vx[0] += h * x, vx[1] += m * x, vx[2] += l * x;
        hh += h * h, hm += h * m, mm_hl += m * m + 2 * (h * l), ml += m * l, ll += l * l;
    }
    VOXCC_INLINE bool is_refused() const {
        std::int64_t any = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) any |= refused[lane];
        return any != 0;
    }
};

template <class T>
VOXCC_INLINE std::optional<BlockSums> sum_vectors(const std::byte* values, std::size_t count, std::int32_t unit, const UnitRange& range) {
    const double factor = std::ldexp(1.0, -unit);
    Accumulators sums;
    Doubles x{0, 1, 2, 3};
    std::byte last[lanes * sizeof(T)] = {};
    const std::size_t rest = count % lanes, whole = count - rest;
    for (std::size_t lane = 0; lane < lanes && rest > 0; ++lane)  // the values after the end repeat the last one
        std::memcpy(last + lane * sizeof(T), values + std::min(whole + lane, count - 1) * sizeof(T), sizeof(T));
    Doubles least = load_doubles<T>(whole > 0 ? values : last), largest = least;
    const auto add_extremes = [&](const Doubles& v) __attribute__((always_inline)) {
        least = v < least ? v : least, largest = v > largest ? v : largest;
    };
    for (std::size_t i = 0; i < whole; i += lanes, x += double(lanes)) {
        const Doubles v = load_doubles<T>(values + i * sizeof(T));
        add_extremes(v);
        sums.add(v * factor, x, range);
    }
    if (rest > 0) {
        const Doubles v = load_doubles<T>(last);
        add_extremes(v);
        sums.add(x < double(count) ? v * factor : Doubles{}, x, range);
    }
    if (sums.is_refused()) return std::nullopt;
    BlockSums block;
    block.v = int128(integer(sums.v[0], 40) + integer(sums.v[1], 20) + integer(sums.v[2], 0));
    block.vx = int128(integer(sums.vx[0], 40) + integer(sums.vx[1], 20) + integer(sums.vx[2], 0));
    block.vv = integer(sums.hh, 80) + 2 * integer(sums.hm, 60) + integer(sums.mm_hl, 40) + 2 * integer(sums.ml, 20) + integer(sums.ll, 0);
    block.least = least[0], block.largest = largest[0];
    for (std::size_t lane = 1; lane < lanes; ++lane)
        block.least = std::min(block.least, least[lane]), block.largest = std::max(block.largest, largest[lane]);
    return block;
}

}  // namespace

template <class T>
std::optional<BlockSums> sum_block(Isa isa, const std::byte* values, std::size_t count, std::int32_t unit, const UnitRange& range) {
    std::optional<BlockSums> sums;
    block_runs::run_on(
        isa, [&]() __attribute__((always_inline)) { sums = sum_vectors<T>(values, count, unit, range); });
    return sums;
}

template std::optional<BlockSums> sum_block<float>(Isa, const std::byte*, std::size_t, std::int32_t, const UnitRange&);
template std::optional<BlockSums> sum_block<double>(Isa, const std::byte*, std::size_t, std::int32_t, const UnitRange&);
template std::optional<BlockSums> sum_block<std::int64_t>(Isa, const std::byte*, std::size_t, std::int32_t, const UnitRange&);
template std::optional<BlockSums> sum_block<std::uint64_t>(Isa, const std::byte*, std::size_t, std::int32_t, const UnitRange&);

}  // namespace voxcc
