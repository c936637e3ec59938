#include "src/pipeline/holes.h"

#include <voxcc/source.h>

#include <algorithm>

namespace voxcc {

namespace {

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
    return find_holes(source, held.extent, rule, {.pool = &pool, .memory = memory});
}

void fill_holes(VolumeBits& held, const HoleRule& rule, ThreadPool& pool, MemoryLimit* memory) {
    const Holes holes = find_holes(held, rule, pool, memory);
    if (holes.in_row.empty()) return;
    holes.background->prepare_paint(ScalarType::u8, holes.is_hole);
    set_holes(held, holes.in_row, painted_by(*holes.background), pool);
}

namespace {

/// The runs of the holes of a source, which is read twice.
HoleRuns runs_of(ReaderSource& source, const Extent& extent, const HoleRule& rule, ThreadPool& pool, const FilledSource::Slabs& slabs,
                 MemoryLimit* memory) {
    const Execution execution{.pool = &pool, .slices_per_slab = slabs.slices, .subject = slabs.subject, .memory = memory};
    Holes holes = find_holes(source, extent, rule, execution, slabs.across);
    return {holes, extent, pool, memory};
}

}  // namespace

FilledSource::FilledSource(ReaderSource& source, const Extent& extent, const HoleRule& rule, ThreadPool& pool, const Slabs& slabs,
                           MemoryLimit* memory)
    : source_(source), words_(words_of(extent.nx)), runs_(runs_of(source, extent, rule, pool, slabs, memory)) {
    source.rewind();
}

void FilledSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    source_.pack(fetched, rows, index, bits);
    const std::span<const HoleRun> of_row = runs_[rows.first + index];
    if (of_row.empty()) return;
    thread_local std::vector<std::uint64_t> mask;
    mask.assign(std::size_t(words_), ~std::uint64_t{0});
    if (source_.has_mask()) source_.pack_mask(fetched, rows, index, mask.data());
    for (const HoleRun& run : of_row)
        for (std::uint32_t x = run.first; x < run.end;) {
            const std::uint32_t in_word = std::min(run.end - x, 64 - x % 64);
            bits[x / 64] |= mask[x / 64] & (~std::uint64_t{0} >> (64 - in_word) << x % 64);
            x += in_word;
        }
}

}  // namespace voxcc
