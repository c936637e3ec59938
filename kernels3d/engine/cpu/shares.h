// Packs and unites the shares of a volume on several threads, from sources that are read in order or concurrently.
#pragma once
#include <voxcc/label.h>
#include <voxcc/threads.h>
#include "kernels3d/engine/cpu/runs.h"
#include "kernels3d/threads/reading.h"

#include <atomic>
#include <type_traits>

namespace voxcc::block_runs {

/// Number of input rows before a block-row. If cross-sections hold two slices, the block-row must be the first of a layer.
inline int64_t rows_before(const Layout& l, int64_t block_row) {
    if (block_row >= l.block_rows()) return l.extent.rows();
    return block_row / l.rows * l.rows_z * l.extent.ny + block_row % l.rows * l.rows_y;
}

/// The input rows of the block-rows [first, end), with the condition of rows_before() for both.
inline RowRange rows_of(const Layout& l, int64_t first, int64_t end) {
    const int64_t from = rows_before(l, first);
    return {from, rows_before(l, end) - from};
}

/// Packs the block-rows [first, end).
/// @param fetched the result of source.fetch() for rows_of(first, end)
/// @param on_row called as on_row(first + i, fetched, rows, i) after input row i is packed; `first + i` is the block-row if
///     cross-sections are one row
template <class Id, class OnRow>
void pack_block_rows(Runs<Id>& runs, const RowSource& source, int64_t first, int64_t end, const std::byte* fetched, const OnRow& on_row) {
    // Short rows are packed together: a call per row would take longer than the packing.
    constexpr int64_t words_at_once = 64;
    uint64_t packed[words_at_once];
    const Layout& l = runs.layout;
    const RowRange rows = rows_of(l, first, end);
    const int64_t rows_at_once = std::max<int64_t>(1, words_at_once / 4 / l.words * 4);
    // One division here: a division per row would take as long as packing 64 voxels.
    for (int64_t i = 0, n = 0, y = rows.first % l.extent.ny, z = rows.first / l.extent.ny; i < rows.count; i += n) {
        n = std::min({rows_at_once, l.extent.ny - y, rows.count - i});
        const bool in_place = n == 1 || l.rows_z == 1;  // whether the bits of the rows follow each other
        source.pack_rows(fetched, rows, {i, n, in_place ? runs.row_bits(y, z) : packed, l.words});
        if (!in_place) runs.copy_rows(packed, n, y, z);
        for (int64_t more = 0; more < n; ++more) on_row(first + i + more, fetched, rows, i + more);
        y += n;
        if (y < l.extent.ny) continue;
        if (l.rows_y == 2 && y % 2 == 1) std::fill_n(runs.row_bits(y, z), l.words, uint64_t{0});
        y = 0, ++z;
    }
    if (l.rows_z == 2 && l.extent.nz % 2 && end == l.block_rows())  // the last layer has only one slice; clear the other
        for (int64_t y = 0; y < l.rows * l.rows_y; ++y) std::fill_n(runs.row_bits(y, l.extent.nz), l.words, uint64_t{0});
}

/// Whether rows are read in order, by one thread at a time, while other threads pack or unite.
template <class Id>
bool reads_in_order(const Runs<Id>& runs, const RowSource& source) {
    return source.access() == RowSource::Access::in_order && runs.shares.size() > 1;
}

/// Number of block-rows that are fetched and packed at once; complete layers if cross-sections hold two slices.
inline int64_t block_rows_at_once(const Layout& l, const RowSource& source) {
    const int64_t wanted = std::max<int64_t>(1, (source.rows_per_fetch() + l.rows_y - 1) / l.rows_y);
    return l.rows_z > 1 ? std::max<int64_t>(1, wanted / (l.rows * l.rows_z)) * l.rows : wanted;
}

/// An on_row that does nothing, for rules that need only the bits of a row.
struct NothingMore {
    void operator()(auto&&...) const {}
};

/// Time that one task has spent, in seconds.
struct SecondsOfTask {
    double pack = 0, unite = 0;  // pack includes fetching
    /// Calls work() and adds its time to `seconds`.
    template <class Work>
    static void add_to(double& seconds, const Work& work) {
        const double begin = clock_seconds();
        work();
        seconds += clock_seconds() - begin;
    }
};

/// Processes complete shares, one thread per share. If the source is read in order, one thread packs while the other threads unite.
/// @return times per share
template <class Id, class OnRow, class Unite>
std::vector<SecondsOfTask> pack_and_unite_shares(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const OnRow& on_row,
                                                 const Unite& unite) {
    const Layout& l = runs.layout;
    const int64_t step = block_rows_at_once(l, source);
    const bool in_order = reads_in_order(runs, source);
    std::vector<SecondsOfTask> seconds(runs.shares.size());
    Reading reading;
    pool.for_each(int64_t(runs.shares.size()), [&](int64_t task) {
        std::vector<std::byte> buffer;
        const auto pack_share = [&](int64_t s, const auto& then) {
            Share<Id>& share = runs.shares[std::size_t(s)];
            for (int64_t at = share.first; at < share.end; at += step) {
                const int64_t end = std::min(at + step, share.end);
                SecondsOfTask::add_to(seconds[std::size_t(s)].pack, [&] {
                    pack_block_rows(runs, source, at, end, source.fetch(rows_of(l, at, end), buffer),
                                    [&](int64_t row, auto... fetched) { on_row(share, row, fetched...); });
                });
                then(at, end);
            }
        };
        const auto unite_timed = [&](int64_t s, int64_t at, int64_t end) {
            SecondsOfTask::add_to(seconds[std::size_t(s)].unite, [&] { unite(runs.shares[std::size_t(s)], at, end); });
        };
        if (!in_order) return pack_share(task, [&](int64_t at, int64_t end) { unite_timed(task, at, end); });
        if (const auto s = reading.next([&](int64_t next) { pack_share(next, [](int64_t, int64_t) {}); }))
            unite_timed(*s, runs.shares[std::size_t(*s)].first, runs.shares[std::size_t(*s)].end);
    });
    return seconds;
}

/// Processes pieces of shares, in order. While one thread reads a piece, the other threads pack the pieces that were read before. The
/// thread that packs the last piece of a share unites the share.
/// @return times per piece
template <class Id, class Unite>
std::vector<SecondsOfTask> pack_and_unite_pieces(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const Unite& unite) {
    const Layout& l = runs.layout;
    struct Piece {
        std::size_t share;
        int64_t first, end;
    };
    std::vector<Piece> pieces;
    std::vector<std::atomic<int64_t>> not_packed(runs.shares.size());  // number of pieces per share that are not packed yet
    const int64_t step = block_rows_at_once(l, source);
    for (std::size_t s = 0; s < runs.shares.size(); ++s)
        for (int64_t at = runs.shares[s].first; at < runs.shares[s].end; at += step, ++not_packed[s])
            pieces.push_back({s, at, std::min(at + step, runs.shares[s].end)});
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
            if (--not_packed[piece.share] > 0) return;
            Share<Id>& share = runs.shares[piece.share];
            SecondsOfTask::add_to(spent.unite, [&] { unite(share, share.first, share.end); });
        });
    });
    return seconds;
}

/// Packs and unites all shares.
/// @param on_row see pack_block_rows(); NothingMore, or a function that is called for the rows of a share in order
/// @param unite called as unite(share, first, end) when the block-rows of the share before `end` are packed
/// @return elapsed time, divided between pack and unite in proportion to the times of the tasks
template <class Id, class OnRow, class Unite>
Seconds pack_and_unite(Runs<Id>& runs, RowSource& source, ThreadPool& pool, const OnRow& on_row, const Unite& unite) {
    const double begin = clock_seconds();
    std::vector<SecondsOfTask> seconds;
    if (std::is_same_v<OnRow, NothingMore> && reads_in_order(runs, source)) seconds = pack_and_unite_pieces(runs, source, pool, unite);
    else seconds = pack_and_unite_shares(runs, source, pool, on_row, unite);
    const double elapsed = clock_seconds() - begin;
    double pack = 0, all = 1e-12;
    for (const SecondsOfTask& t : seconds) pack += t.pack, all += t.pack + t.unite;
    Seconds result;
    result.pack = elapsed * pack / all;
    result.unite = elapsed - result.pack;
    return result;
}

}  // namespace voxcc::block_runs
