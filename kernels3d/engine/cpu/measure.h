// Phase "measure": computes the integer sums of every component from its runs.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/engine/cpu/runs.h"
#include "kernels3d/measure/compact_sums.h"
#include "kernels3d/simd/isa.h"
#include "kernels3d/simd/leading.h"
#include "kernels3d/simd/row_sums.h"

#include <unordered_map>

namespace voxcc::block_runs {

/// Finds the columns in which the runs of a block-row start.
template <class Id>
class StartColumns {
public:
    VOXCC_INLINE explicit StartColumns(const BlockRow<Id>& row) : starts_(row.starts), left_(*row.starts), id_(*row.before + 1) {}
    /// @param id of a run of the block-row; must not be less than in the call before
    VOXCC_INLINE int64_t of(Id id) {
        Id more = id - id_;
        id_ = id;
        for (Id here; more >= (here = Id(std::popcount(left_))); left_ = starts_[++word_]) more -= here;
        for (; more; --more) left_ &= left_ - 1;
        return word_ * 64 + std::countr_zero(left_);
    }

private:
    const uint64_t* starts_;
    uint64_t left_;  // starts of run id_ and later runs in the current word
    Id id_;
    int64_t word_ = 0;
};

/// Adds the voxels of one block-row to the sums of their components. Successive runs of one component are added together.
/// @param last id of the last run of the block-row
/// @param add called as add(label, Sums<Wide>) or add(label, NearSums, Place)
template <int RY, int RZ, class Wide, class Id, class Add>
VOXCC_INLINE void measure_block_row(const Runs<Id>& runs, int64_t block_row, Id last, Isa isa, const Add& add) {
    constexpr int R = RY * RZ;
    constexpr uint64_t all = ~uint64_t{0};
    const Layout& l = runs.layout;
    const BlockRow<Id> row = runs.row(block_row);
    const Id first = row.before[0] + 1;
    if (first > last) return;
    const Id* const label = runs.label.data();
    const uint64_t y = uint64_t(block_row % l.rows) * RY, z = uint64_t(block_row / l.rows) * RZ;
    const auto rows_from = [&](int64_t word) __attribute__((always_inline)) { return BitRows{row.bits + word, l.words}; };
    const auto window_at = [&](int64_t column) __attribute__((always_inline)) {
        return Window{rows_from(column / 64), int(column % 64), all};
    };
    const auto end_of_run = [&](int64_t column) __attribute__((always_inline)) {
        for (;;) {
            const int more = std::countr_one(window_at(column).template columns<R>());
            column += more;
            if (more < 64 || column >= l.words * 64) return column;
        }
    };
    const auto add_window = [&](Id id, int64_t begin, int64_t end, Id run_count) __attribute__((always_inline)) {
        Window window = window_at(begin);
        window.mask >>= 64 - (end - begin);
        if (run_count > 1) end = begin + 64 - std::countl_zero(window.template columns<R>());
        const uint64_t n = uint64_t(end - begin);
        NearSums part;
        if (R == 1 && run_count == 1) part = ColumnSums::of_run(n).near_sums<RY, RZ>();
        else if (n <= 2) part = sums_of_two_columns<RY, RZ>(window);
        else part = window_sums<RY, RZ>(window, isa).template near_sums<RY, RZ>();
        part.x1 = int32_t(n) - 1;
        add(label[id], part, Place{uint32_t(begin), uint32_t(y), uint32_t(z)});
    };
    const auto add_words = [&](Id id, int64_t begin, int64_t end) __attribute__((always_inline)) {
        const int64_t end_word = (end - 1) / 64 + 1;
        uint64_t mask = all << begin % 64;
        for (int64_t w = begin / 64; w < end_word; w += WordRange::most, mask = all) {
            const int64_t words = std::min(WordRange::most, end_word - w);
            const uint64_t last_mask = w + words == end_word ? all >> (63 - (end - 1) % 64) : all;
            const ColumnSums part = column_sums<RY, RZ>({rows_from(w), words, mask, last_mask}, isa);
            if (part.n == 0) continue;
            Sums<Wide> sums = part.template sums<Wide, RY, RZ>(uint64_t(w) * 64, y, z);
            sums.x0 = uint32_t(begin), sums.x1 = uint32_t(w * 64 + part.last);
            add(label[id], sums);
        }
    };
    StartColumns<Id> starts(row);
    int64_t begin = starts.of(first);
    for (Id id = first; id <= last;) {
        Id next = id + 1;
        while (next <= last && label[next] == label[id]) next += std::min(leading(label + next, label[id], isa), last + 1 - next);
        const int64_t limit = next <= last ? starts.of(next) : l.words * 64;
        const int64_t end = next > id + 1
                                ? limit
                                : std::min(end_of_run(begin),
                                           limit);  // if there are several runs, the columns between the last of them and `limit` are empty
        if (end - begin <= 64) add_window(id, begin, end, next - id);
        else add_words(id, begin, end);
        id = next, begin = limit;
    }
}

/// The sums of all components; row k - 1 belongs to label k.
/// @param offset result of number()
/// @param memory takes the bytes of the sums. @throw MemoryLimitReached
template <int RY, int RZ, class Wide, class Id>
CompactSums<Wide> measure(const Runs<Id>& runs, const std::vector<Id>& offset, ThreadPool& pool, Isa isa, TakenMemory& memory) {
    constexpr int64_t few = 1 << 20, foreign_bytes = 96;  // of an element of Foreign::rows with its place in the table
    memory.take(int64_t(offset.back()) * CompactSums<Wide>::bytes_per_row);
    const std::vector<Share<Id>>& shares = runs.shares;
    CompactSums<Wide> table(std::size_t(offset.back()), shares.size());
    // The share in which a component starts writes the row of the component. Parts in later shares are collected separately and added at
    // the end.
    struct Foreign {
        std::unordered_map<Id, CompactRow<Wide>> rows;
        std::deque<Sums<Wide>> full;
    };
    std::vector<Foreign> foreign(shares.size());
    pool.for_each(int64_t(shares.size()), [&](int64_t s) {
        const Id born = offset[std::size_t(s)];
        Foreign& others = foreign[std::size_t(s)];
        typename CompactSums<Wide>::Writer own(table, std::size_t(s), std::size_t(born));
        const auto add = [&](Id label, const auto&... part) __attribute__((always_inline)) {
            if (label > born) own.add(std::size_t(label) - 1, part...);
            else others.rows[label].add(part..., others.full);
        };
        // Compiled for AVX-512, it takes the same time: 3.4 ms (blobs 512^3, 50 %, 26 neighbours; AMD EPYC, Zen 5, 2026-11-23).
        run_on_avx2(isa, [&] {
            const Share<Id>& share = shares[std::size_t(s)];
            int64_t taken = 0;
            for (int64_t at = share.first; at < share.end; ++at) {
                measure_block_row<RY, RZ, Wide>(runs, at, runs.end_id(share, at) - 1, isa, add);
                const int64_t outside = own.full_bytes() + int64_t(others.rows.size()) * foreign_bytes;
                if (outside - taken < few) continue;
                memory.take(outside - taken);
                taken = outside;
            }
        });
    });
    for (const Foreign& others : foreign)
        for (const auto& [label, row] : others.rows) table.add(std::size_t(label) - 1, row.sums());
    return table;
}

}  // namespace voxcc::block_runs
