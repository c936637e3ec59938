#include "kernels3d/measure/small_integers.h"

#include "kernels3d/measure/double_vectors.h"

#include <cmath>
#include <cstring>

namespace voxcc {
namespace {

/// Integers M, and `none` where a value is not M times the unit, or M is not small.
VOXCC_INLINE Words integers(const Doubles& values, double per_unit, double unit_value, std::int64_t none) {
    constexpr double end = double(std::uint64_t{1} << 40);
    const Doubles bigs = Doubles{} + rounding_number(0), shifted = values * per_unit + bigs, rounded = shifted - bigs;
    const Words m = reinterpret_cast<Words>(shifted) - reinterpret_cast<Words>(bigs);
    const Words exact = (rounded * unit_value == values) & (rounded > -end) & (rounded < end);
    return (m & exact) | (none & ~exact);
}

}  // namespace

template <class T>
void SmallIntegers::set(Isa isa, std::span<const std::byte> values, std::int32_t unit) {
    const double per_unit = std::ldexp(1.0, -unit), unit_value = std::ldexp(1.0, unit);
    const std::size_t count = values.size() / sizeof(T), whole = count - count % lanes;
    std::byte last[lanes * sizeof(T)] = {};
    std::memcpy(last, values.data() + whole * sizeof(T), (count - whole) * sizeof(T));
    block_runs::run_on(
        isa, [&]() __attribute__((always_inline)) {
            const auto store = [&](std::size_t i, const std::byte* from) __attribute__((always_inline)) {
                const Words m = integers(load_doubles<T>(from), per_unit, unit_value, none);
                std::memcpy(values_.data() + i, &m, sizeof m);
            };
            for (std::size_t i = 0; i < whole; i += lanes) store(i, values.data() + i * sizeof(T));
            if (whole < count) store(whole, last);
        });
}

std::optional<std::int32_t> unit_of_small_integers(double largest) {
    constexpr int bits = 34, most_unit = 900;
    const int unit = std::ilogb(largest) + 1 - bits;
    return std::abs(unit) <= most_unit ? std::optional(unit) : std::nullopt;
}

#define VOXCC_INSTANTIATE(T) template void SmallIntegers::set<T>(Isa, std::span<const std::byte>, std::int32_t);
VOXCC_INSTANTIATE(float)
VOXCC_INSTANTIATE(double)
VOXCC_INSTANTIATE(std::int64_t)
VOXCC_INSTANTIATE(std::uint64_t)
#undef VOXCC_INSTANTIATE

}  // namespace voxcc
