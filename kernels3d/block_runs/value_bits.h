// Values of voxels of any type as 64 bits.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace voxcc::block_runs {

/// A voxel's value as bits that are equal exactly when the values are; -0.0 is 0.0, all NaNs are one value (a cavity of NaN that has been
/// filled is one component). Integers are widened with their sign.
template <class T>
std::uint64_t value_bits(T v) {
    if constexpr (std::is_floating_point_v<T>)
        if (v != v) v = std::numeric_limits<T>::quiet_NaN();
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(v + 0.0f);
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(v + 0.0);
    else return std::uint64_t(std::int64_t(v));
}

}  // namespace voxcc::block_runs
