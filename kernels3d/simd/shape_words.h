// The bit logic of count_shape(), for words of any width.
//
// A pair is counted at the later of its two voxels in raster order. A cell of a closed complex is counted at the first of its voxels, and
// a cell of an open complex at the last. So each voxel is counted from its own bit and the bits of 13 earlier neighbours.
//
// Euler number of closed cubes: vertices - edges + faces - cubes. The vertices of a row of voxels minus its edges are the number of its
// runs. So the Euler number is a sum of numbers of runs: of the OR of the four rows around each line of vertices (+), of the OR of the two
// rows beside each line of edges (-), and of each row (+). Adding the row `own` after its earlier neighbours adds f(R) runs to a line with
// the rows R:
//
//      f(R) = starts of own | R at voxels of T = own & ~R, minus voxels of T whose right neighbour is in R
//      Euler number = sum of f(D | B | DB) + f(D | DA) - f(D);  all other lines cancel
#pragma once
#include <voxcc/shape.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/simd/isa.h"

#include <bit>

namespace voxcc::block_runs {

/// A word of a row, and the same row moved by one column: bit p of `left` is the voxel at p - 1, bit p of `right` the voxel at p + 1.
template <class Word>
struct ThreeColumns {
    Word left, here, right;
};

/// A word of each row: see ShapeRows.
template <class Word>
struct ShapeWords {
    ThreeColumns<Word> own, before, after, below, below_before, below_after;
};

/// The number of counters.
template <Cells cells>
inline constexpr int shape_counters = cells == Cells::split    ? 22
                                      : cells == Cells::closed ? 18
                                                               : 16;

/// Sets the bits of each counter, which add_shape_totals() adds up.
/// @param own the voxels that are counted; a subset of w.own.here
template <Cells cells, class Word>
VOXCC_INLINE VOXCC_HD void shape_bits(const ShapeWords<Word>& w, const Word& own, Word (&bits)[shape_counters<cells>]) {
    const auto &B = w.before, &D = w.below, &DB = w.below_before, &DA = w.below_after;
    const Word& left = w.own.left;
    bits[0] = own & left;
    bits[1] = own & B.here;
    bits[2] = own & D.here;
    bits[3] = own & B.left;
    bits[4] = own & B.right;
    bits[5] = own & D.left;
    bits[6] = own & D.right;
    bits[7] = own & DB.here;
    bits[8] = own & DA.here;
    bits[9] = own & DB.left;
    bits[10] = own & DB.right;
    bits[11] = own & DA.left;
    bits[12] = own & DA.right;
    if constexpr (cells == Cells::open) {
        const Word square_xy = own & left & B.here & B.left, square_xz = own & left & D.here & D.left;
        const Word square_yz = own & B.here & D.here & DB.here, either = square_xy ^ square_xz, both = square_xy & square_xz;
        // The number of squares minus the number of cubes is 0 to 3, because a cube has three squares.
        bits[13] = own;
        bits[14] = either ^ square_yz ^ (both & DB.here & DB.left);  // 1 of this number
        bits[15] = both | (either & square_yz);                      // 2 of this number
    } else {
        const Word R1 = D.here | B.here | DB.here, R2 = D.here | DA.here;
        const Word T1 = own & ~R1, T2 = own & ~R2, T3 = own & ~D.here;
        const Word starts3 = T3 & ~(left | D.left);
        const Word starts1 = T1 & ~(left | D.left | B.left | DB.left), starts2 = T2 & ~(left | D.left | DA.left);
        bits[13] = starts1 & starts2;  // starts1 and starts2 are subsets of starts3, so that starts1 + starts2 - starts3 is
        bits[14] = T3 & D.right;
        bits[15] = starts3 & ~(starts1 | starts2);  // +1 where both are set, -1 where none is set
        bits[16] = T1 & (D.right | B.right | DB.right);
        bits[17] = T2 & (D.right | DA.right);
        if constexpr (cells == Cells::split) {
            const auto &O = w.own, &A = w.after;
            const Word beside = D.here, none_before = own & ~(beside | B.here | DB.here), none_after = own & ~(beside | A.here | DA.here);
            bits[18] = none_before & DB.left & ~(O.left | B.left | D.left);
            bits[19] = none_before & DB.right & ~(O.right | B.right | D.right);
            bits[20] = none_after & DA.left & ~(O.left | A.left | D.left);
            bits[21] = none_after & DA.right & ~(O.right | A.right | D.right);
        }
    }
}

/// The Euler number, modulo 2^bits, from the totals of the counters.
template <Cells cells, class Unsigned>
VOXCC_INLINE VOXCC_HD Unsigned euler_of_totals(const Unsigned* total) {
    if constexpr (cells == Cells::open) return total[13] - total[0] - total[1] - total[2] + total[14] + 2 * total[15];
    else if constexpr (cells == Cells::closed) return total[13] + total[14] - total[15] - total[16] - total[17];
    else return euler_of_totals<Cells::closed>(total) + total[18] + total[19] + total[20] + total[21];
}

/// Adds the totals of the counters to the counts.
template <Cells cells>
VOXCC_INLINE void add_shape_totals(const std::uint64_t* total, ShapeCounts& to) {
    for (int d = 0; d < 13; ++d) to.pairs[std::size_t(d)] += total[d];
    to.euler += std::int64_t(euler_of_totals<cells>(total));
}

/// Counts the voxels `own` of one word.
template <Cells cells>
VOXCC_INLINE void count_shape_word(const ShapeWords<std::uint64_t>& words, std::uint64_t own, ShapeCounts& to) {
    std::uint64_t total[shape_counters<cells>];
    shape_bits<cells>(words, own, total);
    for (std::uint64_t& t : total) t = std::uint64_t(std::popcount(t));
    add_shape_totals<cells>(total, to);
}

/// A word with its neighbours in the row.
VOXCC_INLINE ThreeColumns<std::uint64_t> three_columns(std::uint64_t before, std::uint64_t here, std::uint64_t after) {
    return {here << 1 | before >> 63, here, here >> 1 | after << 63};
}

}  // namespace voxcc::block_runs
