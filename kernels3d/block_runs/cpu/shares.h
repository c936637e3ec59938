// How the slabs of a volume are packed and united on several threads, whatever the source of rows allows.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/block_runs/cpu/runs.h"
#include "kernels3d/threads/reading.h"

#include <atomic>
#include <chrono>
#include <type_traits>

namespace voxcc::block_runs {

inline double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The input rows of the block-rows before `block_row`, which begins a layer where cross-sections hold two slices.
inline int64_t rows_before(const Layout& l, int64_t block_row) {
    if (block_row >= l.block_rows()) return l.extent.rows();
    return block_row / l.rows * l.rows_z * l.extent.ny + block_row % l.rows * l.rows_y;
}

/// The input rows of the block-rows [first, end).
inline RowRange rows_of(const Layout& l, int64_t first, int64_t end) {
    const int64_t from = rows_before(l, first);
    return {from, rows_before(l, end) - from};
}

/// Packs the block-rows [first, end).
/// @param fetched their input rows
/// @param on_row called with each block-row of one-row cross-sections once it is packed, and its voxels
template <class Id, class OnRow>
void pack_block_rows(Runs<Id>& runs, const RowSource& source, int64_t first, int64_t end, const std::byte* fetched, const OnRow& on_row) {
    const Layout& l = runs.layout;
    const RowRange rows = rows_of(l, first, end);
    for (int64_t i = 0; i < rows.count; ++i) {
        const int64_t y = (rows.first + i) % l.extent.ny, z = (rows.first + i) / l.extent.ny;
        source.pack(fetched, rows, i, runs.row_bits(y, z));
        if (l.rows_y == 2 && y + 1 == l.extent.ny && y % 2 == 0) std::fill_n(runs.row_bits(y + 1, z), l.words, uint64_t{0});
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
    const int64_t wanted = std::max<int64_t>(1, (source.rows_per_fetch() + l.rows_y - 1) / l.rows_y);
    return l.rows_z > 1 ? std::max<int64_t>(1, wanted / (l.rows * l.rows_z)) * l.rows : wanted;
}

/// For rows whose voxels are not needed once they are packed.
struct NothingMore {
    void operator()(auto&&...) const {}
};

struct SecondsOfTask {
    double pack = 0, unite = 0;  // pack contains fetching
    /// Calls work() and adds its time.
    template <class Work>
    static void add_to(double& seconds, const Work& work) {
        const double begin = now();
        work();
        seconds += now() - begin;
    }
};

/// Slab by slab, each by one thread. Where slabs are read in order, by one thread at a time, others unite meanwhile.
template <class Id, class OnRow, class Unite>
std::vector<SecondsOfTask> pack_and_unite_slabs(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const OnRow& on_row,
                                                const Unite& unite) {
    const Layout& l = runs.layout;
    const int64_t step = block_rows_at_once(l, source);
    const bool in_order = reads_in_order(runs, source);
    std::vector<SecondsOfTask> seconds(runs.slabs.size());
    Reading reading;
    pool.for_each(int64_t(runs.slabs.size()), [&](int64_t task) {
        std::vector<std::byte> buffer;
        const auto pack_slab = [&](int64_t s, const auto& then) {
            Slab<Id>& slab = runs.slabs[std::size_t(s)];
            for (int64_t at = slab.first; at < slab.end; at += step) {
                const int64_t end = std::min(at + step, slab.end);
                SecondsOfTask::add_to(seconds[std::size_t(s)].pack, [&] {
                    pack_block_rows(runs, source, at, end, source.fetch(rows_of(l, at, end), buffer),
                                    [&](int64_t row, auto... fetched) { on_row(slab, row, fetched...); });
                });
                then(at, end);
            }
        };
        const auto unite_timed = [&](int64_t s, int64_t at, int64_t end) {
            SecondsOfTask::add_to(seconds[std::size_t(s)].unite, [&] { unite(runs.slabs[std::size_t(s)], at, end); });
        };
        if (!in_order) return pack_slab(task, [&](int64_t at, int64_t end) { unite_timed(task, at, end); });
        if (const auto s = reading.next([&](int64_t next) { pack_slab(next, [](int64_t, int64_t) {}); }))
            unite_timed(*s, runs.slabs[std::size_t(*s)].first, runs.slabs[std::size_t(*s)].end);
    });
    return seconds;
}

/// Piece by piece, in order: while one thread reads, others pack what they have read. Who packs the last piece of a slab unites it.
template <class Id, class Unite>
std::vector<SecondsOfTask> pack_and_unite_pieces(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const Unite& unite) {
    const Layout& l = runs.layout;
    struct Piece {
        std::size_t slab;
        int64_t first, end;
    };
    std::vector<Piece> pieces;
    std::vector<std::atomic<int64_t>> not_packed(runs.slabs.size());  // pieces of each slab
    const int64_t step = block_rows_at_once(l, source);
    for (std::size_t s = 0; s < runs.slabs.size(); ++s)
        for (int64_t at = runs.slabs[s].first; at < runs.slabs[s].end; at += step, ++not_packed[s])
            pieces.push_back({s, at, std::min(at + step, runs.slabs[s].end)});
    std::vector<SecondsOfTask> seconds(pieces.size());
    Reading reading;
    Spares<std::vector<std::byte>> buffers;
    pool.for_each(int64_t(pieces.size()), [&](int64_t) {
        buffers.with_one([&](std::vector<std::byte>& buffer) {
            const std::byte* fetched = nullptr;
            const auto number = reading.next([&](int64_t next) {
                const Piece& piece = pieces[std::size_t(next)];
                SecondsOfTask::add_to(seconds[std::size_t(next)].pack,
                                      [&] { fetched = source.fetch(rows_of(l, piece.first, piece.end), buffer); });
            });
            if (!number) return;
            const Piece& piece = pieces[std::size_t(*number)];
            SecondsOfTask& spent = seconds[std::size_t(*number)];
            SecondsOfTask::add_to(spent.pack, [&] { pack_block_rows(runs, source, piece.first, piece.end, fetched, NothingMore{}); });
            if (--not_packed[piece.slab] > 0) return;
            Slab<Id>& slab = runs.slabs[piece.slab];
            SecondsOfTask::add_to(spent.unite, [&] { unite(slab, slab.first, slab.end); });
        });
    });
    return seconds;
}

/// Packs and unites all slabs.
/// @param on_row see pack_block_rows; NothingMore, or called for rows of a slab in order
/// @param unite (slab, first, end): the block-rows are packed, and all before them in the slab
template <class Id, class OnRow, class Unite>
Seconds pack_and_unite(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const OnRow& on_row, const Unite& unite) {
    const double begin = now();
    std::vector<SecondsOfTask> seconds;
    if (std::is_same_v<OnRow, NothingMore> && reads_in_order(runs, source)) seconds = pack_and_unite_pieces(runs, source, pool, unite);
    else seconds = pack_and_unite_slabs(runs, source, pool, on_row, unite);
    const double elapsed = now() - begin;
    double pack = 0, all = 1e-12;
    for (const SecondsOfTask& t : seconds) pack += t.pack, all += t.pack + t.unite;
    Seconds result;
    result.pack = elapsed * pack / all;
    result.unite = elapsed - result.pack;
    return result;
}

}  // namespace voxcc::block_runs
