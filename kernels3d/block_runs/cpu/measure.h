// Phase "measure": integer sums of every component, from its runs.
#pragma once
#include "kernels3d/block_runs/cpu/row_sums.h"
#include "kernels3d/block_runs/cpu/runs.h"

#include <unordered_map>

namespace voxcc::block_runs {

/// Adds the voxels of one block-row to the sums of their components.
/// @param sums_of label -> Sums&
template <int RY, int RZ, class Id, class SumsOf>
VOXCC_INLINE void measure_block_row(const Runs<Id>& runs, int64_t block_row, Isa isa, const SumsOf& sums_of) {
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
            if (current) part.flush(sums_of(current), uint64_t(section) * 64, y, z);
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
                    add_two_columns<RY, RZ>(sums_of(label[id]), rows, uint64_t(w) * 64 + uint64_t(first), y, z);
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

/// One row of sums a component, by label - 1.
/// @param offset as number() gave it
template <int RY, int RZ, class Wide, class Id>
std::vector<Sums<Wide>> measure(const Runs<Id>& runs, const std::vector<Id>& offset, ThreadPool& pool, Isa isa) {
    const int64_t slabs = int64_t(runs.slabs.size());
    std::vector<Sums<Wide>> table(std::size_t(offset.back()));
    // A component born in a slab belongs to it; what later slabs have of it is kept apart and added at the end.
    std::vector<std::unordered_map<Id, Sums<Wide>>> foreign(runs.slabs.size());
    pool.for_each(slabs, [&](int64_t s) {
        const Id born = offset[std::size_t(s)];
        auto& others = foreign[std::size_t(s)];
        const auto sums_of = [&](Id label) -> Sums<Wide>& { return label > born ? table[std::size_t(label) - 1] : others[label]; };
        const Slab<Id>& slab = runs.slabs[std::size_t(s)];
        run_on(isa, [&] {
            for (int64_t at = slab.first; at < slab.end; ++at) measure_block_row<RY, RZ>(runs, at, isa, sums_of);
        });
    });
    for (const auto& others : foreign)
        for (const auto& [label, sums] : others) table[std::size_t(label) - 1].add(sums);
    return table;
}

}  // namespace voxcc::block_runs
