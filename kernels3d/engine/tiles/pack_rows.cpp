#include "kernels3d/engine/tiles/pack_rows.h"

#include <voxcc/source.h>
#include "kernels3d/engine/tiles/values.h"
#include "kernels3d/engine/value_bits.h"
#include "kernels3d/threads/reading.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

namespace voxcc::block_runs::tiles {
namespace {

/// Which of a number of pieces are done, by several threads in any order.
class Done {
public:
    explicit Done(int64_t pieces) : done_(std::size_t(pieces)) {}
    /// Calls use(n) if the first n pieces are done now and fewer were before; one thread at a time, n ascending. Where another thread is in
    /// use(), that thread does it afterwards and this one goes on.
    template <class Use>
    void add(int64_t piece, const Use& use) {
        std::unique_lock lock(mutex_);
        done_[std::size_t(piece)] = true;
        if (in_use_) return;
        in_use_ = true;
        for (std::size_t used = first_;; used = first_) {
            while (first_ < done_.size() && done_[first_]) ++first_;
            if (first_ == used) break;
            lock.unlock();
            use(int64_t(first_));
            lock.lock();
        }
        in_use_ = false;
    }

private:
    std::mutex mutex_;
    std::vector<bool> done_;
    std::size_t first_ = 0;  // the first that is not done, as far as was looked
    bool in_use_ = false;
};

/// Fetches all rows of a source and calls take(fetched, rows, i) for each of them, several at once where the source allows.
/// @param taken called with n when the first n rows are, one thread at a time, n ascending
template <class Take, class Taken>
void for_each_row(RowSource& source, const Extent& extent, ThreadPool& pool, const Take& take, const Taken& taken) {
    const int64_t step = std::max<int64_t>(1, source.rows_per_fetch()), pieces = (extent.rows() + step - 1) / step;
    const bool in_order = source.access() == RowSource::Access::in_order;
    Reading reading;
    Done done(pieces);
    Spares<std::vector<std::byte>> buffers;
    pool.for_each(pieces, [&](int64_t task) {
        buffers.with_one([&](std::vector<std::byte>& buffer) {
            RowRange rows;
            const std::byte* fetched = nullptr;
            const auto fetch = [&](int64_t piece) {
                rows = {piece * step, std::min(step, extent.rows() - piece * step)};
                fetched = source.fetch(rows, buffer);
            };
            std::optional<int64_t> piece = task;
            if (in_order) piece = reading.next(fetch);
            else fetch(task);
            if (!piece) return;
            for (int64_t i = 0; i < rows.count; ++i) take(fetched, rows, i);
            done.add(*piece, [&](int64_t n) { taken(std::min(n * step, extent.rows())); });
        });
    });
}

template <class T>
void pack_rows_and_values_as(RowSource& source, const Extent& extent, ThreadPool& pool, uint64_t* bits, WordOf<T>* values,
                             const RowsPacked& packed) {
    const int64_t words = words_of(extent.nx);
    const auto take = [&](const std::byte* fetched, RowRange rows, int64_t i) {
        source.pack(fetched, rows, i, bits + (rows.first + i) * words);
        const T* const from = reinterpret_cast<const T*>(source.values(fetched, rows, i));
        std::transform(from, from + extent.nx, values + (rows.first + i) * extent.nx, [](T v) { return WordOf<T>(value_bits(v)); });
    };
    for_each_row(source, extent, pool, take, packed);
}

}  // namespace

void pack_rows(RowSource& source, const Extent& extent, ThreadPool& pool, uint64_t* bits, const RowsPacked& packed) {
    const int64_t words = words_of(extent.nx);
    for_each_row(
        source, extent, pool,
        [&](const std::byte* fetched, RowRange rows, int64_t i) { source.pack(fetched, rows, i, bits + (rows.first + i) * words); },
        packed);
}

void pack_rows_and_values(RowSource& source, const Extent& extent, ThreadPool& pool, uint64_t* bits, std::byte* values,
                          const RowsPacked& packed) {
    visit_scalar(source.value_type(), [&]<class T>(std::type_identity<T>) {
        pack_rows_and_values_as<T>(source, extent, pool, bits, reinterpret_cast<WordOf<T>*>(values), packed);
    });
}

}  // namespace voxcc::block_runs::tiles
