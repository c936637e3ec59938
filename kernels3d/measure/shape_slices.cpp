// Most words have voxels of one label, and no other label beside them. Stretches of such words are counted with vector code. All other
// words are counted one label at a time.
#include "kernels3d/measure/shape_slices.h"
#include "kernels3d/measure/labelled_slice.h"

#include "kernels3d/simd/shape_counts.h"
#include "kernels3d/simd/shape_words.h"

#include <algorithm>

namespace voxcc {
namespace {

using block_runs::ShapeRows;
using block_runs::ShapeWords;
using block_runs::ThreeColumns;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

template <Cells cells>
class SliceCounter {
public:
    SliceCounter(const LabelledSlice& below, const LabelledSlice& own, const SliceRules& rules,
                 const std::function<void(uint32_t, const ShapeCounts&)>& add)
        : below_(below), own_(own), rules_(rules), add_(add), stride_(own.stride()) {}

    VOXCC_INLINE void count() {
        const int64_t end = own_.row(own_.rows());
        for (int64_t i = own_.row(0); i < end;) {
            const uint32_t label = own_.label[std::size_t(i)];
            if (label == 0) {
                ++i;
                continue;
            }
            int64_t after = i;
            if (label != LabelledSlice::several && rules_.around_x == 0) after = end_of_stretch(label, i);
            if (after == i) {
                count_word(i++);
                continue;
            }
            switch_to(label);
            if (after - i <= few) {
                for (; i < after; ++i) count_one_label(i);
            } else {
                block_runs::count_shape(rules_.isa, cells, rows_at(i), after - i, counts_);
                i = after;
            }
        }
        flush();
    }

private:
    static constexpr int64_t at_once = 8, few = 3;  // vector code takes longer for a few words, because it adds up its lanes
    typedef uint32_t Labels __attribute__((vector_size(4 * at_once)));

    ShapeRows rows_at(int64_t i) const {
        const uint64_t *const own = own_.bits.data() + i, *const below = below_.bits.data() + i;
        return {own, own - stride_, own + stride_, below, below - stride_, below + stride_};
    }

    /// Sets lanes that are neither 0 nor the label.
    VOXCC_INLINE static void mark_others(Labels& others, const uint32_t* labels, const Labels& label) {
        Labels here;
        __builtin_memcpy(&here, labels, sizeof here);
        others |= Labels(here != 0) & Labels(here != label);
    }
    VOXCC_INLINE static bool is_any_set(const Labels& others) {
        typedef uint64_t Pairs __attribute__((vector_size(4 * at_once)));
        const Pairs pairs = Pairs(others);
        return (pairs[0] | pairs[1] | pairs[2] | pairs[3]) != 0;
    }
    /// One past the last word from i on that has only voxels of the label, and no other label beside it that counts.
    VOXCC_INLINE int64_t end_of_stretch(uint32_t label, int64_t i) const {
        const bool compares = rules_.neighbours == SliceRules::Neighbours::compare;
        const Labels wanted = Labels{} + label;
        const int64_t end = own_.row(own_.rows());
        // If neighbours are compared, the words before and after the stretch may not have another label in any of the six rows either.
        for (int64_t at = compares ? i - 1 : i; at <= end; at += at_once) {
            Labels others{};
            if (!compares) {
                mark_others(others, own_.label.data() + at, wanted);
            } else {
                for (const LabelledSlice* slice : {&own_, &below_})
                    for (int64_t y = -1; y <= 1; ++y) mark_others(others, slice->label.data() + at + y * stride_, wanted);
            }
            if (!is_any_set(others)) continue;
            int64_t lane = 0;
            while (others[lane] == 0) ++lane;
            return std::clamp(at + lane - (compares ? 1 : 0), i, end);
        }
        return end;
    }

    /// The columns of a word that count as neighbours of voxels with the label.
    VOXCC_INLINE uint64_t neighbours(const LabelledSlice& slice, uint32_t label, int64_t i) const {
        return rules_.neighbours == SliceRules::Neighbours::same_label ? slice.bits[std::size_t(i)] : slice.columns_of(label, i);
    }
    VOXCC_INLINE ThreeColumns<uint64_t> words_at(const LabelledSlice& slice, uint32_t label, int64_t i) const {
        return block_runs::three_columns(neighbours(slice, label, i - 1), neighbours(slice, label, i), neighbours(slice, label, i + 1));
    }
    /// Calls f(slice, distance of the row) for the six rows, and makes their words.
    template <class F>
    VOXCC_INLINE ShapeWords<uint64_t> six_rows(const F& f) const {
        return {f(own_, int64_t{0}),   f(own_, -stride_),   f(own_, stride_),  //
                f(below_, int64_t{0}), f(below_, -stride_), f(below_, stride_)};
    }

    /// Counts a word in which, and beside which, only the current label counts.
    VOXCC_INLINE void count_one_label(int64_t i) {
        if (own_.bits[std::size_t(i)] == 0) return;
        const auto words = six_rows([&](const LabelledSlice& slice, int64_t row) __attribute__((always_inline)) {
            const uint64_t* const at = slice.bits.data() + i + row;
            return block_runs::three_columns(at[-1], at[0], at[1]);
        });
        block_runs::count_shape_word<cells>(words, words.own.here, counts_);
    }

    void count_word(int64_t i) {
        const int64_t w = (i - own_.row(0)) % stride_;
        uint64_t at_ends = 0;  // columns whose neighbours lie at the other end of the row
        if (rules_.around_x > 0 && w == 0) at_ends |= 1;
        if (rules_.around_x > 0 && w == (rules_.around_x - 1) / 64) at_ends |= uint64_t{1} << (rules_.around_x - 1) % 64;
        own_.for_each_label(i, [&](uint32_t label, uint64_t columns) {
            switch_to(label);
            const auto inside = six_rows([&](const LabelledSlice& slice, int64_t row) { return words_at(slice, label, i + row); });
            block_runs::count_shape_word<cells>(inside, columns & ~at_ends, counts_);
            for (uint64_t rest = columns & at_ends; rest; rest &= rest - 1) count_at_end(i - w, w * 64 + std::countr_zero(rest), label);
        });
    }
    /// Counts a voxel in the first or last column. Its neighbours are put into the columns 0 to 2 of a word.
    void count_at_end(int64_t row_begin, int64_t x, uint32_t label) {
        const int64_t nx = rules_.around_x;
        const auto words = six_rows([&](const LabelledSlice& slice, int64_t row) {
            uint64_t three = 0;
            for (int64_t d = -1; d <= 1; ++d) {
                const int64_t at = (x + d + nx) % nx;
                three |= (neighbours(slice, label, row_begin + row + at / 64) >> at % 64 & 1) << (d + 1);
            }
            return block_runs::three_columns(0, three, 0);
        });
        block_runs::count_shape_word<cells>(words, 0b010, counts_);
    }

    VOXCC_INLINE void switch_to(uint32_t label) {
        if (label == label_) return;
        flush();
        label_ = label;
    }
    void flush() {
        if (label_ != 0) add_(label_, counts_);
        counts_ = {};
        label_ = 0;
    }

    const LabelledSlice &below_, &own_;
    const SliceRules& rules_;
    const std::function<void(uint32_t, const ShapeCounts&)>& add_;
    const int64_t stride_;
    uint32_t label_ = 0;  // the label of counts_
    ShapeCounts counts_;
};

template <Cells cells>
void count_cells(const LabelledSlice& below, const LabelledSlice& own, const SliceRules& rules,
                 const std::function<void(uint32_t, const ShapeCounts&)>& add) {
    block_runs::run_on_avx2(rules.isa, [&] { SliceCounter<cells>(below, own, rules, add).count(); });
}

}  // namespace

void count_slice(const LabelledSlice& below, const LabelledSlice& own, const SliceRules& rules,
                 const std::function<void(std::uint32_t, const ShapeCounts&)>& add) {
    switch (rules.cells) {
        case Cells::closed: return count_cells<Cells::closed>(below, own, rules, add);
        case Cells::split: return count_cells<Cells::split>(below, own, rules, add);
        case Cells::open: return count_cells<Cells::open>(below, own, rules, add);
    }
}

}  // namespace voxcc
