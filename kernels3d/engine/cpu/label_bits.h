// Labels a volume by foreground only: the phases of the block-run engine in order.
#pragma once
#include "kernels3d/engine/cpu/cpu_labelling.h"
#include "kernels3d/engine/cpu/events.h"
#include "kernels3d/engine/cpu/index.h"
#include "kernels3d/engine/cpu/rows_of_one_word.h"
#include "kernels3d/engine/cpu/unite.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/simd/isa.h"

namespace voxcc::block_runs {

/// Unites the runs of block-rows [first, end) with runs of the block-rows before them.
/// @param share the share that contains the block-rows
/// @param which contacts inside the share, or contacts with earlier shares; the latter may be united by several threads at the same time
template <Links C, class Id>
VOXCC_INLINE void unite_block_rows(Runs<Id>& runs, const Share<Id>& share, int64_t first, int64_t end, ContactsOf which, Isa isa) {
    const bool short_rows = which == ContactsOf::share && RowsOfOneWord<C, Id>::fit(runs);
    const int64_t batch = short_rows ? words_per_batch / 4 : words_per_batch;  // less memory if the volume may be small
    const std::size_t most_words = std::size_t(std::max(runs.layout.words, RowsOfOneWord<C, Id>::lanes) * 4 + batch);
    const auto events = std::make_unique_for_overwrite<EventWord<Id>[]>(most_words + 4);
    const auto pairs = std::make_unique_for_overwrite<Pair<Id>[]>(most_words * 64 + 1);
    Id* const parent = runs.parent.data();
    const int64_t packed_end = which == ContactsOf::share ? end : runs.layout.block_rows();
    EventWord<Id>* events_end = events.get();
    for (int64_t at = first; at < end;) {
        if (short_rows) {
            RowsOfOneWord<C, Id> rows(runs, at, end);
            events_end = rows.list_all(events_end);
            at += rows.count();
        } else {
            events_end = WordsOfRow<C, Id>(runs, share.first, packed_end, at, which).list_all(events_end);
            ++at;
        }
        if (events_end - events.get() < batch && at < end) continue;
        const Pair<Id>* const pairs_end = list_pairs(pairs.get(), events.get(), events_end, runs, isa);
        unite_pairs(parent, pairs.get(), pairs_end, which);
        events_end = events.get();
    }
}

/// Labels a volume in which all neighbouring foreground voxels are connected. See block_runs::label().
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_bits(const Request& request, RowSource& source, ThreadPool& pool) {
    constexpr Links C = links_of<K>;
    using Result = RunLabelling<C.rows_y, C.rows_z, Id>;
    auto result = std::make_unique<Result>(request, source, pool);
    Runs<Id>& runs = result->runs();
    const Isa isa = request.isa;

    Seconds seconds = pack_and_unite(runs, source, pool, NothingMore{}, [&](Share<Id>& share, int64_t first, int64_t end) {
        run_on(isa, [&] {
            const Id first_id = share.end_id;
            for (int64_t at = first; at < end; ++at) {
                share.end_id = index_block_row<C.rows()>(runs, at, share.end_id);
                result->count_runs(share);
            }
            separate(runs, first_id, share.end_id);
            unite_block_rows<C>(runs, share, first, end, ContactsOf::share, isa);
        });
    });

    const double begin = clock_seconds();
    const int64_t seam = C.has_below() ? runs.layout.rows + 1 : 1;  // number of block-rows of a share that may touch an earlier share
    pool.for_each(int64_t(runs.shares.size()) - 1, [&](int64_t s) {
        const Share<Id>& share = runs.shares[std::size_t(s) + 1];
        run_on(isa, [&] { unite_block_rows<C>(runs, share, share.first, std::min(share.first + seam, share.end), ContactsOf::seam, isa); });
    });
    seconds.unite += clock_seconds() - begin;

    result->number_after(seconds);
    return result;
}

}  // namespace voxcc::block_runs
