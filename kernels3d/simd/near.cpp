// Compilers vectorise the loop, so that it is compiled for each instruction set.
#include "kernels3d/simd/near.h"

#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace voxcc::block_runs {
namespace {

/// The largest difference of integers of type T, as the unsigned type of the same width.
template <class T>
std::make_unsigned_t<T> limit_of(double most) {
    constexpr auto largest = std::numeric_limits<std::make_unsigned_t<T>>::max();
    return most >= double(largest) ? largest : std::make_unsigned_t<T>(most);
}

template <class T>
VOXCC_INLINE bool is_near(T a, T b, double most) {
    return (a == b) | (std::fabs(double(a) - double(b)) <= most);
}
template <class T>
requires std::is_integral_v<T> VOXCC_INLINE bool is_near(T a, T b, std::make_unsigned_t<T> most) {
    using Unsigned = std::make_unsigned_t<T>;
    return Unsigned(a < b ? Unsigned(b) - Unsigned(a) : Unsigned(a) - Unsigned(b)) <= most;
}

}  // namespace

template <class T>
void near_row(Isa isa, const T* a, const T* b, double most, std::int64_t n, std::uint64_t* bits) {
    constexpr std::int64_t piece = 4096;  // small enough for the first-level cache
    alignas(64) std::uint8_t flags[piece];
    const auto limit = [&] {
        if constexpr (std::is_integral_v<T>) return limit_of<T>(most);
        else return most;
    }();
    for (std::int64_t first = 0; first < n; first += piece) {
        const std::int64_t count = std::min(piece, n - first);
        run_on(isa, [&] {
            // Local copies: a stored byte might alias the data that the lambda refers to.
            const T *const x = a + first, *const y = b + first;
            std::uint8_t* const to = flags;
            const auto most_here = limit;
            const std::int64_t values = count;
            for (std::int64_t i = 0; i < values; ++i) to[i] = is_near(x[i], y[i], most_here);
        });
        pack_row(isa, flags, count, bits + first / 64);
    }
}

#define VOXCC_NEAR(T) template void near_row<T>(Isa, const T*, const T*, double, std::int64_t, std::uint64_t*);
VOXCC_NEAR(std::uint8_t)
VOXCC_NEAR(std::int8_t)
VOXCC_NEAR(std::uint16_t)
VOXCC_NEAR(std::int16_t)
VOXCC_NEAR(std::uint32_t)
VOXCC_NEAR(std::int32_t)
VOXCC_NEAR(std::uint64_t)
VOXCC_NEAR(std::int64_t)
VOXCC_NEAR(float)
VOXCC_NEAR(double)
#undef VOXCC_NEAR

}  // namespace voxcc::block_runs
