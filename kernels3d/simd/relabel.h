// Labels of runs in the type to be painted.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstdint>

namespace voxcc::block_runs {

/// Converts n labels to another type: to[i] = label[i]. Thread-safe for different `to`.
/// @tparam Id uint32_t or uint64_t
/// @tparam T uint8_t, uint16_t, uint32_t or uint64_t; must hold all labels
template <class Id, class T>
void convert_labels(Isa isa, const Id* label, std::int64_t n, T* to);

/// Replaces n labels by numbers of a table: to[i] = numbers[label[i] - 1]. Thread-safe for different `to`.
/// @param label must be at least 1
/// @tparam Id uint32_t or uint64_t
/// @tparam T uint8_t, uint16_t, uint32_t or uint64_t; must hold all numbers
// label = {2, 1, 2}, numbers = {0, 5}  ->  to = {5, 0, 5}
template <class Id, class T>
void relabel(const Id* label, std::int64_t n, const std::uint64_t* numbers, T* to);

}  // namespace voxcc::block_runs
