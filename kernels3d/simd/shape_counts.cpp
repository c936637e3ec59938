#include "kernels3d/simd/shape_sets.h"
#include "kernels3d/simd/shape_words.h"

namespace voxcc::block_runs {
namespace {

template <Cells cells>
void count_portable(const ShapeRows& rows, std::int64_t count, ShapeCounts& to) {
    std::uint64_t total[shape_counters<cells>] = {};
    for (std::int64_t i = 0; i < count; ++i) {
        if (rows.own[i] == 0) continue;
        const auto at = [&](const std::uint64_t* row) { return three_columns(row[i - 1], row[i], row[i + 1]); };
        const ShapeWords<std::uint64_t> words{at(rows.own),   at(rows.before),       at(rows.after),
                                              at(rows.below), at(rows.below_before), at(rows.below_after)};
        std::uint64_t bits[shape_counters<cells>];
        shape_bits<cells>(words, words.own.here, bits);
        for (int c = 0; c < shape_counters<cells>; ++c) total[c] += std::uint64_t(std::popcount(bits[c]));
    }
    add_shape_totals<cells>(total, to);
}

template <Cells cells>
void count_with(Isa isa, const ShapeRows& rows, std::int64_t count, ShapeCounts& to) {
#ifdef VOXCC_X86
    if (isa == Isa::avx512) return count_shape_avx512<cells>(rows, count, to);
    if (isa == Isa::avx2) return count_shape_avx2<cells>(rows, count, to);
#endif
    count_portable<cells>(rows, count, to);
}

}  // namespace

void count_shape(Isa isa, Cells cells, const ShapeRows& rows, std::int64_t count, ShapeCounts& to) {
    switch (cells) {
        case Cells::closed: return count_with<Cells::closed>(isa, rows, count, to);
        case Cells::split: return count_with<Cells::split>(isa, rows, count, to);
        case Cells::open: return count_with<Cells::open>(isa, rows, count, to);
    }
}

}  // namespace voxcc::block_runs
