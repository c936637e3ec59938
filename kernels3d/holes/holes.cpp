#include <voxcc/holes.h>

#include <voxcc/source.h>

#include <algorithm>

namespace voxcc {

void BackgroundSource::pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const {
    source_.pack_rows(fetched, rows, to);
    const std::int64_t words = words_of(nx_);
    for (std::int64_t row = 0; row < to.count; ++row) {
        std::uint64_t* const bits = to.bits + row * to.words;
        for (std::int64_t w = 0; w < words; ++w) bits[w] = ~bits[w];
        if (nx_ % 64) bits[words - 1] &= ~std::uint64_t{0} >> (64 - nx_ % 64);
    }
}

Question background_question(const Extent& extent, const HoleRule& rule) {
    return {.connectivity = dual(reduced(rule.connectivity, extent)), .periodic = rule.periodic};
}

/// Marks the rows of the bounding boxes of holes. If the boxes together are large, marks all rows. The box of a hole that crosses an end of
/// a periodic volume ends outside of the volume, and continues at the other end.
std::vector<bool> rows_of_holes(std::span<const std::uint64_t> is_hole, const SumTable& sums, const Extent& extent) {
    std::vector<bool> rows;
    std::int64_t marks = 0;
    for (std::size_t k = 0; k < is_hole.size(); ++k) {
        if (!is_hole[k]) continue;
        rows.resize(std::size_t(extent.rows()));
        const WideSums s = sums[k];
        marks += (std::int64_t(s.y1) - s.y0 + 1) * (std::int64_t(s.z1) - s.z0 + 1);
        if (marks > 4 * extent.rows()) return std::vector<bool>(rows.size(), true);
        for (std::int64_t z = s.z0; z <= s.z1; ++z)
            for (std::int64_t y = s.y0; y <= s.y1; ++y) rows[std::size_t(z % extent.nz * extent.ny + y % extent.ny)] = true;
    }
    return rows;
}

Holes find_holes(RowSource& source, const Extent& extent, const HoleRule& rule, const Execution& execution, Axis across) {
    Holes holes;
    holes.source = std::make_unique<BackgroundSource>(source, extent.nx);
    const Question question = background_question(extent, rule);
    holes.background = execution.slices_per_slab > 0 ? label_slices(*holes.source, extent, question, across, execution)
                                                     : label(*holes.source, extent, question, execution);
    holes.memory = std::make_unique<TakenMemory>(execution.memory);
    const SumTable sums = holes.background->measure();
    holes.memory->take(std::int64_t(sums.size() * sizeof(std::uint64_t)));
    holes.is_hole.resize(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k)
        holes.is_hole[k] = sums.voxels(k) <= rule.most_voxels && !touches_border(sums[k], rule.faces);
    holes.in_row = rows_of_holes(holes.is_hole, sums, extent);
    return holes;
}

}  // namespace voxcc
