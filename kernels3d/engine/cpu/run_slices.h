// Slices of a volume that is stored as runs, with one label per word: see voxcc/labelled_slice.h.
#pragma once
#include "kernels3d/engine/cpu/runs.h"
#include "kernels3d/measure/labelled_slice.h"

#include <span>

namespace voxcc::block_runs {

/// Writes the numbers of consecutive slices. Rows of one block-row share the labels of its words.
/// @tparam RY, RZ number of rows of the cross-section in y and z
template <int RY, int RZ, class Id>
class RunSlices {
public:
    RunSlices(const Runs<Id>& runs, int64_t first, std::span<LabelledSlice> to) : runs_(runs), first_(first), to_(to) {}

    VOXCC_INLINE void write() {
        for (LabelledSlice& slice : to_) slice.clear_lists();
        const int64_t end = first_ + int64_t(to_.size());
        for (int64_t layer = first_ / RZ; layer * RZ < end; ++layer) {
            const int64_t z = std::max(first_, layer * RZ), slices = std::min(end, (layer + 1) * RZ) - z;
            for (int64_t row = 0; row < runs_.layout.rows; ++row) write_block_row(layer * runs_.layout.rows + row, z, slices);
        }
    }

private:
    /// Writes the rows of a block-row in the slices [z, z + slices).
    VOXCC_INLINE void write_block_row(int64_t block_row, int64_t z, int64_t slices) {
        const Layout& l = runs_.layout;
        const BlockRow<Id> row = runs_.row(block_row);
        const int64_t y = block_row % l.rows * RY, rows_y = std::min<int64_t>(RY, l.extent.ny - y);
        for (int64_t w = 0; w < l.words; ++w) {
            uint64_t columns = 0;
            for (int r = 0; r < RY * RZ; ++r) columns |= row.bits[r * l.words + w];
            const uint64_t starts = row.starts[w];
            const Id* const run = runs_.label.data() + row.before[w] + Id((columns & -columns & starts) != 0);
            const Id* const last = runs_.label.data() + row.before[w] + Id(std::popcount(starts));
            if (have_one_label(run, last)) {
                set_rows(row, z, slices, y, rows_y, w, uint32_t(*run));  // rows without a voxel get label 0
            } else {
                list_labels(run, columns, starts);
                set_rows(row, z, slices, y, rows_y, w, LabelledSlice::several);
            }
        }
    }

    /// Whether the runs of a word have the same label. The second and the third label are compared in any case, because a branch on the
    /// number of runs is often mispredicted.
    /// @param run, last labels of the first and the last run. Two labels more must be readable
    VOXCC_INLINE static bool have_one_label(const Id* run, const Id* last) {
        const auto more = last - run;
        if (((more >= 1) & (run[1] != *run)) | ((more >= 2) & (run[2] != *run))) return false;
        for (int64_t i = 3; i <= more; ++i)
            if (run[i] != *run) return false;
        return true;
    }

    /// Sets part_ to the labels of the runs of a word. Runs of a label that are not side by side in the list are put together.
    VOXCC_INLINE void list_labels(const Id* run, uint64_t columns, uint64_t starts) {
        part_.clear();
        while (columns) {
            const uint64_t first = columns & -columns, later = starts & ~(first | (first - 1));
            const uint64_t up_to_next = later ? (later & -later) - 1 : ~uint64_t{0};
            const auto label = uint32_t(*run++);
            auto at = part_.begin();
            while (at != part_.end() && at->label != label) ++at;
            if (at == part_.end()) at = part_.insert(at, {label, 0});
            at->columns |= columns & up_to_next;
            columns &= ~up_to_next;
        }
        part_.push_back({});
    }

    VOXCC_INLINE void set_rows(const BlockRow<Id>& row, int64_t z, int64_t slices, int64_t y, int64_t rows_y, int64_t w, uint32_t label) {
        for (int64_t s = 0; s < slices; ++s) {
            LabelledSlice& slice = to_[std::size_t(z + s - first_)];
            const auto begin = uint32_t(slice.lists.size());
            if (label == LabelledSlice::several) slice.lists.insert(slice.lists.end(), part_.begin(), part_.end());
            for (int64_t r = 0; r < rows_y; ++r) {
                const auto i = std::size_t(slice.row(y + r) + w);
                const uint64_t bits = row.bits[((z + s) % RZ * RY + r) * runs_.layout.words + w];
                slice.bits[i] = bits;
                slice.label[i] = bits ? label : 0;
                if (label == LabelledSlice::several) slice.list[i] = begin;
            }
        }
    }

    const Runs<Id>& runs_;
    int64_t first_;
    std::span<LabelledSlice> to_;
    std::vector<LabelledColumns> part_;
};

}  // namespace voxcc::block_runs
