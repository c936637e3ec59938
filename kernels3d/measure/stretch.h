// Stretches of voxels with equal component numbers in a row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace voxcc {

/// One past the last voxel of the stretch that begins at voxel `first`. Compares 16 voxels at a time, in vectors of 16 bytes.
// {7, 7, 7, 0}, 1 -> 3
template <class Index>
std::size_t end_of_stretch(std::span<const Index> components, std::size_t first) {
    static_assert(std::is_unsigned_v<Index>);
    typedef std::uint64_t Vector __attribute__((vector_size(16), aligned(1), may_alias));
    constexpr std::size_t step = 16, per_vector = sizeof(Vector) / sizeof(Index);
    constexpr std::uint64_t every = ~std::uint64_t{0} / Index(~Index{0});  // 1 in each place of an index
    const Index component = components[first];
    const Vector wanted = Vector{} + component * every;
    std::size_t end = first + 1;
    for (; end + step <= components.size(); end += step) {
        Vector differ{};
        for (std::size_t i = 0; i < step; i += per_vector) differ |= *reinterpret_cast<const Vector*>(components.data() + end + i) ^ wanted;
        if ((differ[0] | differ[1]) != 0) break;
    }
    while (end < components.size() && components[end] == component) ++end;
    return end;
}

}  // namespace voxcc
