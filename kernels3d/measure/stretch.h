// Stretches of voxels with equal component numbers in a row.
#pragma once
#include <cstddef>
#include <span>

namespace voxcc {

/// One past the last voxel of the stretch that begins at voxel `first`. Compares 16 voxels at a time, which compilers vectorise.
// {7, 7, 7, 0}, 1 -> 3
template <class Index>
std::size_t end_of_stretch(std::span<const Index> components, std::size_t first) {
    constexpr std::size_t step = 16;
    const Index component = components[first];
    std::size_t end = first + 1;
    for (; end + step <= components.size(); end += step) {
        Index differ = 0;
        for (std::size_t i = 0; i < step; ++i) differ = Index(differ | (components[end + i] ^ component));
        if (differ != 0) break;
    }
    while (end < components.size() && components[end] == component) ++end;
    return end;
}

}  // namespace voxcc
