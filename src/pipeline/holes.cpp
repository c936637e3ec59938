#include "src/pipeline/holes.h"

#include <voxcc/source.h>

#include <algorithm>
#include <bit>

namespace voxcc {

void BackgroundSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    source_.pack(fetched, rows, index, bits);
    const std::int64_t words = words_of(nx_);
    for (std::int64_t w = 0; w < words; ++w) bits[w] = ~bits[w];
    if (nx_ % 64) bits[words - 1] &= ~std::uint64_t{0} >> (64 - nx_ % 64);
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

namespace {

/// The holes of a labelled background.
Holes holes_of(std::unique_ptr<Labelling> background, const Extent& extent, const HoleRule& rule, MemoryLimit* memory) {
    const SumTable sums = background->measure();
    Holes holes{std::move(background), {}, {}, std::make_unique<TakenMemory>(memory)};
    holes.memory->take(std::int64_t(sums.size() * sizeof(std::uint64_t)));
    holes.is_hole.resize(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k)
        holes.is_hole[k] = sums.voxels(k) <= rule.most_voxels && !touches_border(sums[k], rule.faces);
    holes.in_row = rows_of_holes(holes.is_hole, sums, extent);
    return holes;
}

/// The voxels of holes in rows of a labelled background.
class HoleRows {
public:
    HoleRows(const PaintHoles& paint, std::int64_t nx)
        : paint_(paint), nonzero_(ScalarType::u8, {}), nx_(nx), holes_(std::size_t(nx)), bits_(std::size_t(words_of(nx))) {}
    /// @return one bit per voxel, valid until the next call
    const std::vector<std::uint64_t>& bits_of(std::int64_t row) {
        paint_({row, 1}, reinterpret_cast<std::byte*>(holes_.data()));
        nonzero_.pack(default_isa(), reinterpret_cast<const std::byte*>(holes_.data()), nx_, bits_.data());
        return bits_;
    }

private:
    const PaintHoles& paint_;
    ForegroundPacker nonzero_;
    std::int64_t nx_;
    std::vector<std::uint8_t> holes_;
    std::vector<std::uint64_t> bits_;
};

/// @param background must be prepared, and must outlive the result
PaintHoles painted_by(const Labelling& background) {
    return [&background](RowRange rows, std::byte* out) { background.paint(rows, out, Stores::cached); };
}

}  // namespace

void set_holes(VolumeBits& held, const std::vector<bool>& in_row, const PaintHoles& paint, ThreadPool& pool) {
    constexpr std::int64_t rows_per_task = 64;
    pool.for_each((held.extent.rows() + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        HoleRows rows(paint, held.extent.nx);
        for (std::int64_t r = task * rows_per_task; r < std::min((task + 1) * rows_per_task, held.extent.rows()); ++r) {
            if (!in_row[std::size_t(r)]) continue;
            const std::vector<std::uint64_t>& bits = rows.bits_of(r);
            for (std::int64_t w = 0; w < held.words; ++w)
                held.row(r)[w] |=
                    bits[std::size_t(w)] & (held.mask.empty() ? ~std::uint64_t{0} : held.mask[std::size_t(r * held.words + w)]);
        }
    });
}

Holes find_holes(const VolumeBits& held, const HoleRule& rule, ThreadPool& pool, MemoryLimit* memory) {
    VolumeBitsSource source(held);
    BackgroundSource background(source, held.extent.nx);
    const Question question = background_question(held.extent, rule);
    auto labelled = label(background, held.extent, question, {.pool = &pool, .memory = memory});
    return holes_of(std::move(labelled), held.extent, rule, memory);
}

void fill_holes(VolumeBits& held, const HoleRule& rule, ThreadPool& pool, MemoryLimit* memory) {
    const Holes holes = find_holes(held, rule, pool, memory);
    if (holes.in_row.empty()) return;
    holes.background->prepare_paint(ScalarType::u8, holes.is_hole);
    set_holes(held, holes.in_row, painted_by(*holes.background), pool);
}

FilledSource::FilledSource(ReaderSource& source, const Extent& extent, const HoleRule& rule, ThreadPool& pool, const Slabs& slabs,
                           MemoryLimit* memory)
    : source_(source), words_(words_of(extent.nx)), taken_(memory) {
    BackgroundSource background(source, extent.nx);
    const Execution execution{.pool = &pool, .slices_per_slab = slabs.slices, .subject = slabs.subject, .memory = memory};
    auto labelled = label_slices(background, extent, background_question(extent, rule), slabs.across, execution);
    const Holes holes = holes_of(std::move(labelled), extent, rule, memory);
    if (!holes.in_row.empty()) {
        holes.background->prepare_paint(ScalarType::u8, holes.is_hole);
        const PaintHoles paint = painted_by(*holes.background);
        HoleRows rows(paint, extent.nx);
        for (std::int64_t r = 0; r < extent.rows(); ++r)
            if (holes.in_row[std::size_t(r)]) add_runs(r, rows.bits_of(r));
    }
    source.rewind();
}

void FilledSource::add_runs(std::int64_t row, const std::vector<std::uint64_t>& bits) {
    const std::size_t before = runs_.size();
    bool inside = false;  // whether the last voxel is in the last run
    for (std::size_t w = 0; w < bits.size(); ++w) {
        std::uint64_t changes = bits[w] ^ (bits[w] << 1 | std::uint64_t(inside));
        for (; changes; changes &= changes - 1) {
            const auto x = std::uint32_t(w * 64) + std::uint32_t(std::countr_zero(changes));
            if (inside) runs_.back().end = x;
            else runs_.push_back({row, x, std::uint32_t(bits.size() * 64)});
            inside = !inside;
        }
    }
    try {
        taken_.take(std::int64_t((runs_.size() - before) * 2 * sizeof(Run)));  // a growing vector has room for twice as many
    } catch (const MemoryLimitReached&) {
        throw MemoryLimitReached(MemoryLimitReached::Data::of_all_slabs);
    }
}

void FilledSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    source_.pack(fetched, rows, index, bits);
    // clang 14 does not compile std::ranges::equal_range.
    const std::span of_row(std::ranges::lower_bound(runs_, rows.first + index, {}, &Run::row),
                           std::ranges::upper_bound(runs_, rows.first + index, {}, &Run::row));
    if (of_row.empty()) return;
    thread_local std::vector<std::uint64_t> mask;
    mask.assign(std::size_t(words_), ~std::uint64_t{0});
    if (source_.has_mask()) source_.pack_mask(fetched, rows, index, mask.data());
    for (const Run& run : of_row)
        for (std::uint32_t x = run.first; x < run.end;) {
            const std::uint32_t in_word = std::min(run.end - x, 64 - x % 64);
            bits[x / 64] |= mask[x / 64] & (~std::uint64_t{0} >> (64 - in_word) << x % 64);
            x += in_word;
        }
}

}  // namespace voxcc
