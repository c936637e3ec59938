// Operations on words of columns.
#pragma once
#include "kernels3d/exec/bits.h"

namespace voxcc::block_runs::tiles {

using exec::count_bits, exec::highest_bit, exec::lowest_bit;

/// The columns up to and including the lowest set bit of w, which must not be 0.
/// w = [0 0 1 0 1]  ->  [1 1 1 0 0]
template <class Word>
VOXCC_HD constexpr Word up_to_lowest(Word w) {
    return w ^ (w - 1);
}
/// The columns 0 to `column` - 1. `column` must be less than 64.
VOXCC_HD constexpr std::uint64_t columns_before(int column) { return (std::uint64_t{1} << column) - 1; }

/// The first column of each stretch of set bits.
/// columns = [0 1 1 0 1]  ->  [0 1 0 0 1]
VOXCC_HD constexpr std::uint64_t run_starts(std::uint64_t columns) { return columns & ~(columns << 1); }

}  // namespace voxcc::block_runs::tiles
