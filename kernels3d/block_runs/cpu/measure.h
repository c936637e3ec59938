// Phase "measure": integer sums of every component, from its runs.
#pragma once
#include "kernels3d/block_runs/cpu/row_sums.h"
#include "kernels3d/block_runs/cpu/runs.h"

#include <unordered_map>

namespace voxcc::block_runs {

/// Adds the voxels of one block-row to the sums of their components.
/// @param add takes a label and Sums<Wide>, or NearSums and their Place
template <int RY, int RZ, class Wide, class Id, class Add>
VOXCC_INLINE void measure_block_row(const Runs<Id>& runs, int64_t block_row, Isa isa, const Add& add) {
    constexpr int R = RY * RZ;
    using Part = RowSums<RY, RZ>;
    const Layout& l = runs.layout;
    const BlockRow<Id> row = runs.row(block_row);
    const Id* const label = runs.label.data();
    const uint64_t y = uint64_t(block_row % l.rows) * RY, z = uint64_t(block_row / l.rows) * RZ;
    for (int64_t section = 0; section < l.words; section += Part::section_words) {
        const int64_t end = std::min(section + Part::section_words, l.words);
        Part part;
        Id current = 0;
        const auto change_to = [&](Id next) __attribute__((always_inline)) {
            if (next == current) return;
            if (current) add(current, part.template take<Wide>(uint64_t(section) * 64, y, z));
            current = next;
        };
        for (int64_t w = section; w < end; ++w) {
            const uint32_t at = uint32_t(w - section) * 64;
#ifdef VOXCC_X86
            if (isa == Isa::avx512 && w % 4 == 0 && w + 4 <= end) {  // four words of one component at once
                Columns rows[R], columns{};
                for (int r = 0; r < R; ++r) {
                    load(rows[r], row.bits + r * l.words + w, 4);
                    columns |= rows[r];
                }
                if (!any(columns)) {
                    w += 3;
                    continue;
                }
                const Id first = row.before[w] + Id((columns[0] & 1) == 0 || (row.starts[w] & 1));
                const Id last = row.before[w + 3] + Id(std::popcount(row.starts[w + 3]));
                Id other = 0;
                for (Id i = first; i <= last; ++i) other |= label[i] ^ label[first];
                if (other == 0) {
                    change_to(label[first]);
                    for (int i = 0; i < 4; ++i)
                        if (columns[i]) part.cover(columns[i], at + uint32_t(i) * 64);
                    part.add_four_words(rows, at);
                    w += 3;
                    continue;
                }
            }
#else
            (void)isa;
#endif
            uint64_t columns = row.bits[w];
            for (int r = 1; r < R; ++r) columns |= row.bits[r * l.words + w];
            // Run by run; the first piece of a word may go on from the word before.
            Id id = row.before[w];
            for (uint64_t starts = row.starts[w], from = ~uint64_t{0}; from; ++id) {
                const uint64_t next = starts ? ~uint64_t{0} << std::countr_zero(starts) : 0, piece = columns & from & ~next;
                from = next;
                starts &= starts - 1;
                if (piece == 0) continue;
                const int first = std::countr_zero(piece);
                if (label[id] != current && piece >> first <= 3) {  // most pieces where components are many
                    std::array<uint64_t, R> rows;
                    for (int r = 0; r < R; ++r) rows[std::size_t(r)] = (row.bits[r * l.words + w] & piece) >> first;
                    add(label[id], sums_of_two_columns<RY, RZ>(rows), Place{uint32_t(w) * 64 + uint32_t(first), uint32_t(y), uint32_t(z)});
                    continue;
                }
                change_to(label[id]);
                part.cover(piece, at);
                for (int r = 0; r < R; ++r) part.add(r, row.bits[r * l.words + w] & piece, at);
            }
        }
        change_to(0);
    }
}

/// The sums of all components, by label - 1.
/// @param offset as number() gave it
template <int RY, int RZ, class Wide, class Id>
CompactSums<Wide> measure(const Runs<Id>& runs, const std::vector<Id>& offset, ThreadPool& pool, Isa isa) {
    const std::vector<Slab<Id>>& slabs = runs.slabs;
    CompactSums<Wide> table(std::size_t(offset.back()), slabs.size());
    // A component born in a slab belongs to it; what later slabs have of it is kept apart and added at the end.
    struct Foreign {
        std::unordered_map<Id, CompactRow<Wide>> rows;
        std::deque<Sums<Wide>> full;
    };
    std::vector<Foreign> foreign(slabs.size());
    pool.for_each(int64_t(slabs.size()), [&](int64_t s) {
        const Id born = offset[std::size_t(s)];
        Foreign& others = foreign[std::size_t(s)];
        typename CompactSums<Wide>::Writer own(table, std::size_t(s), std::size_t(born));
        const auto add = [&](Id label, const auto&... part) __attribute__((always_inline)) {
            if (label > born) own.add(std::size_t(label) - 1, part...);
            else others.rows[label].add(part..., others.full);
        };
        run_on(isa, [&] {
            for (int64_t at = slabs[std::size_t(s)].first; at < slabs[std::size_t(s)].end; ++at)
                measure_block_row<RY, RZ, Wide>(runs, at, isa, add);
        });
    });
    for (const Foreign& others : foreign)
        for (const auto& [label, row] : others.rows) table.add(std::size_t(label) - 1, row.sums());
    return table;
}

}  // namespace voxcc::block_runs
