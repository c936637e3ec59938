// How the slabs of a volume are packed and united on several threads, whatever the source of rows allows.
#pragma once
#include "kernels3d/block_runs/cpu/runs.h"
#include "kernels3d/block_runs/engine.h"
#include "kernels3d/exec/turnstile.h"

#include <chrono>

namespace voxcc::block_runs {

inline double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The input rows of the block-rows before `block_row`, which begins a layer where cross-sections hold two slices.
inline int64_t rows_before(const Layout& l, int64_t block_row) {
    if (block_row >= l.block_rows()) return l.extent.rows();
    return block_row / l.rows * l.rows_z * l.extent.ny + block_row % l.rows * l.rows_y;
}

/// Fetches and packs the block-rows [first, end).
/// @param on_row called with each block-row of one-row cross-sections once it is packed, and its voxels
template <class Id, class OnRow>
void pack_block_rows(Runs<Id>& runs, RowSource& source, int64_t first, int64_t end, std::vector<std::byte>& buffer, const OnRow& on_row) {
    const Layout& l = runs.layout;
    const int64_t from = rows_before(l, first), ny = l.extent.ny;
    const RowRange rows{from, rows_before(l, end) - from};
    const std::byte* const fetched = source.fetch(rows, buffer);
    for (int64_t i = 0; i < rows.count; ++i) {
        const int64_t y = (from + i) % ny, z = (from + i) / ny;
        source.pack(fetched, rows, i, runs.row_bits(y, z));
        if (l.rows_y == 2 && y + 1 == ny && y % 2 == 0) std::fill_n(runs.row_bits(y + 1, z), l.words, uint64_t{0});
        on_row(first + i, fetched, rows, i);
    }
    if (l.rows_z == 2 && l.extent.nz % 2 && end == l.block_rows())  // the slice that the last layer lacks
        for (int64_t y = 0; y < l.rows * l.rows_y; ++y) std::fill_n(runs.row_bits(y, l.extent.nz), l.words, uint64_t{0});
}

/// Whether slabs are read one after the other, by one thread at a time, while other threads unite.
template <class Id>
bool reads_in_order(const Runs<Id>& runs, const RowSource& source) {
    return source.access() == RowSource::Access::in_order && runs.slabs.size() > 1;
}

/// Block-rows that are packed before they are united, where slabs are not read in order.
inline int64_t block_rows_at_once(const Layout& l, const RowSource& source) {
    const int64_t wanted = std::max<int64_t>(1, (source.rows_a_fetch() + l.rows_y - 1) / l.rows_y);
    return l.rows_z > 1 ? std::max<int64_t>(1, wanted / (l.rows * l.rows_z)) * l.rows : wanted;
}

struct SlabSeconds {
    double pack = 0, unite = 0;
};

/// Packs and unites all slabs. Sources that want to be read in order are read slab by slab, by one thread at a time, while others unite.
/// @param on_row see pack_block_rows
/// @param unite (slab, first, end): the block-rows are packed, and all before them in the slab
template <class Id, class OnRow, class Unite>
Seconds pack_and_unite(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const OnRow& on_row, const Unite& unite) {
    const int64_t step = block_rows_at_once(runs.layout, source);
    const bool in_order = reads_in_order(runs, source);
    std::vector<SlabSeconds> seconds(runs.slabs.size());
    Turnstile turnstile;
    const double begin = now();
    pool.for_each(int64_t(runs.slabs.size()), [&](int64_t s) {
        Slab<Id>& slab = runs.slabs[std::size_t(s)];
        SlabSeconds& spent = seconds[std::size_t(s)];
        std::vector<std::byte> buffer;
        const auto pack = [&](int64_t at, int64_t end) {
            const double t = now();
            pack_block_rows(runs, source, at, end, buffer, [&](int64_t row, auto... fetched) { on_row(slab, row, fetched...); });
            spent.pack += now() - t;
        };
        const auto unite_timed = [&](int64_t at, int64_t end) {
            const double t = now();
            unite(slab, at, end);
            spent.unite += now() - t;
        };
        if (in_order && !turnstile.enter(s)) return;
        try {
            for (int64_t at = slab.first; at < slab.end; at += step) {
                const int64_t end = std::min(at + step, slab.end);
                pack(at, end);
                if (!in_order) unite_timed(at, end);
            }
        } catch (...) {
            turnstile.fail();
            throw;
        }
        if (!in_order) return;
        turnstile.pass();
        unite_timed(slab.first, slab.end);
    });
    const double elapsed = now() - begin;
    double pack = 0, all = 1e-12;
    for (const SlabSeconds& t : seconds) pack += t.pack, all += t.pack + t.unite;
    Seconds result;
    result.pack = elapsed * pack / all;
    result.unite = elapsed - result.pack;
    return result;
}

}  // namespace voxcc::block_runs
