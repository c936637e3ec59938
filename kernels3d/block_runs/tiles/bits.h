// Operations on words of columns.
#pragma once
#include "kernels3d/exec/bits.h"

namespace voxcc::block_runs::tiles {

using exec::count_bits, exec::highest_bit, exec::lowest_bit;

/// The columns up to the lowest bit of w, which is not 0.
template <class Word>
VOXCC_HD constexpr Word up_to_lowest(Word w) {
    return w ^ (w - 1);
}
/// Columns 0 to `column` - 1, of which there are fewer than the word has bits.
VOXCC_HD constexpr std::uint64_t columns_before(int column) { return (std::uint64_t{1} << column) - 1; }

/// The first column of every stretch of set bits.
VOXCC_HD constexpr std::uint64_t run_starts(std::uint64_t columns) { return columns & ~(columns << 1); }

}  // namespace voxcc::block_runs::tiles
