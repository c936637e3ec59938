// The parts of count_shape() that AVX2 and AVX-512 share: words of 64 columns side by side in one vector.
#pragma once
#include "kernels3d/simd/shape_counts.h"
#include "kernels3d/simd/shape_words.h"

#include <cstring>

namespace voxcc::block_runs {

/// @tparam Vector a vector of 64-bit words, with the operators of the compiler's vector types
template <class Vector>
struct ShapeVectors {
    static constexpr std::int64_t lanes = sizeof(Vector) / 8;

    VOXCC_INLINE static void load(Vector& to, const std::uint64_t* from) { std::memcpy(&to, from, sizeof to); }

    VOXCC_INLINE static void load(ThreeColumns<Vector>& to, const std::uint64_t* row) {
        Vector before, after;
        load(before, row - 1), load(to.here, row), load(after, row + 1);
        to.left = to.here << 1 | before >> 63;
        to.right = to.here >> 1 | after << 63;
    }

    /// Loads the words from `i` on of every row. Compilers leave out loads whose results are not used.
    VOXCC_INLINE static void load(ShapeWords<Vector>& to, const ShapeRows& rows, std::int64_t i) {
        load(to.own, rows.own + i), load(to.before, rows.before + i), load(to.after, rows.after + i);
        load(to.below, rows.below + i), load(to.below_before, rows.below_before + i), load(to.below_after, rows.below_after + i);
    }

    /// All bits of the first `words` lanes.
    VOXCC_INLINE static void first_lanes(Vector& to, std::int64_t words) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) to[lane] = lane < words ? ~std::uint64_t{0} : 0;
    }
};

}  // namespace voxcc::block_runs
