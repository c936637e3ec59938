// Converts voxel values of any type to 64 bits.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace voxcc::block_runs {

/// The value of a voxel as bits. Two values of a type have the same bits if and only if they are equal. -0.0 equals 0.0. All NaNs are
/// equal, so that a filled cavity of NaN voxels is one component. Signed integers are sign-extended, unsigned integers are zero-extended.
template <class T>
std::uint64_t value_bits(T v) {
    if constexpr (std::is_floating_point_v<T>)
        if (v != v) v = std::numeric_limits<T>::quiet_NaN();
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(v + 0.0f);
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(v + 0.0);
    else return std::uint64_t(std::int64_t(v));
}

}  // namespace voxcc::block_runs
