// A volume labelled by the tile engine, for the host: rows come from a RowSource, labels and sums go to host memory.
#pragma once
#include "kernels3d/block_runs/engine.h"
#include "kernels3d/block_runs/tiles/engine.h"
#include "kernels3d/exec/turnstile.h"
#include "kernels3d/label_sums.h"

#include <chrono>
#include <mutex>

namespace voxcc::block_runs::tiles {

/// Fetches all rows of a source and calls take(fetched, rows, i) for each of them, several at once where the source allows.
template <class Take>
void for_each_row(RowSource& source, const Extent& extent, ThreadPool& pool, const Take& take) {
    const int64_t step = std::max<int64_t>(1, source.rows_a_fetch());
    const bool in_order = source.access() == RowSource::Access::in_order;
    Turnstile turnstile;
    pool.for_each((extent.rows() + step - 1) / step, [&](int64_t piece) {
        const RowRange rows{piece * step, std::min(step, extent.rows() - piece * step)};
        std::vector<std::byte> buffer;
        if (in_order && !turnstile.enter(piece)) return;
        try {
            const std::byte* const fetched = source.fetch(rows, buffer);
            if (in_order) turnstile.pass();
            for (int64_t i = 0; i < rows.count; ++i) take(fetched, rows, i);
        } catch (...) {
            turnstile.fail();
            throw;
        }
    });
}

/// For paint_to_host: puts labels one behind the other, as type T.
template <class T>
struct CopyTo {
    std::byte* out;
    template <class Label>
    void operator()(const Label* from, int64_t at, int64_t n) const {
        std::copy_n(from, n, reinterpret_cast<T*>(out) + at);
    }
};

/// Hands labels of rows of nx voxels over piece by piece: take(labels in host memory, how many came before, how many these are).
/// @param final_numbers as Engine::paint() takes them
template <class Label, class Engine, class Executor, class Take>
void paint_to_host(Executor& executor, Engine& engine, int64_t nx, RowRange rows, const uint32_t* final_numbers, const Take& take) {
    constexpr int64_t piece_bytes = int64_t{32} << 20;
    const int64_t step = std::clamp<int64_t>(piece_bytes / (nx * int64_t(sizeof(Label))), 1, std::max<int64_t>(1, rows.count));
    exec::Array<Label> labels(executor.memory(), step * nx), staging(executor.staging(), step * nx);
    for (int64_t first = rows.first; first < rows.end(); first += step) {
        const RowRange piece{first, std::min(step, rows.end() - first)};
        engine.paint(piece, final_numbers, labels.data());
        executor.download("download", labels, piece.count * nx, staging.data());
        take(staging.data(), (first - rows.first) * nx, piece.count * nx);
    }
}

/// Packs all rows of a source.
/// @param bits [extent.rows()][ceil(nx / 64)]
inline void pack_rows(RowSource& source, const Extent& extent, ThreadPool& pool, uint64_t* bits) {
    const int64_t words = (extent.nx + 63) / 64;
    for_each_row(source, extent, pool, [&](const std::byte* fetched, RowRange rows, int64_t i) {
        source.pack(fetched, rows, i, bits + (rows.first + i) * words);
    });
}

template <Connectivity K, class Executor, Rule R = Rule::foreground>
class TileLabelling : public Labelling {
public:
    /// @param executor is made for this labelling
    TileLabelling(std::unique_ptr<Executor> executor, const Extent& extent, RowSource& source, ThreadPool& pool)
        : extent_(extent), executor_(std::move(executor)), engine_(*executor_, extent) {
        const int64_t words = extent.rows() * ((extent.nx + 63) / 64);
        exec::Array<uint64_t> packed(executor_->staging(), words), bits(executor_->memory(), words);
        pack_and_label(
            [&] {
                pack_rows(source, extent, pool, packed.data());
                executor_->upload("upload", packed.data(), bits);
            },
            [&] {
                engine_.label(BitRows{{uint32_t(extent.nx), uint32_t(extent.ny), uint32_t(extent.nz)}, bits.data()});
            });
    }

    std::uint64_t count() const override { return count_; }
    std::vector<std::uint64_t> source_values() const override { return {}; }
    const Seconds& seconds() const override { return seconds_; }

    SumTable measure() override {
        const double begin = now();
        executor_->enter();
        SumTable table = second_moments_fit(extent_) ? SumTable(executor_->fetch(engine_.measure())) : sums_of_painted();
        seconds_.measure = now() - begin;
        return table;
    }

    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        executor_->enter();
        type_ = type;
        final_ = {};
        if (final_numbers.empty()) return;
        std::vector<uint32_t> numbers{0};
        numbers.insert(numbers.end(), final_numbers.begin(), final_numbers.end());
        final_ = exec::Array<uint32_t>(executor_->memory(), int64_t(numbers.size()));
        executor_->upload("upload", numbers.data(), final_);
    }

    void paint(RowRange rows, std::byte* out, Stores) const override {
        switch (size_of(type_)) {
            case 1: return paint_as<std::uint8_t>(rows, final_.data(), CopyTo<std::uint8_t>{out});
            case 2: return paint_as<std::uint16_t>(rows, final_.data(), CopyTo<std::uint16_t>{out});
            case 4: return paint_as<uint32_t>(rows, final_.data(), CopyTo<uint32_t>{out});
            default: return paint_as<uint32_t>(rows, final_.data(), CopyTo<std::uint64_t>{out});
        }
    }

private:
    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    template <class Label, class Take>
    void paint_as(RowRange rows, const uint32_t* final_numbers, const Take& take) const {
        const std::lock_guard lock(painting_);
        executor_->enter();
        executor_->reset_phases();
        paint_to_host<Label>(*executor_, engine_, extent_.nx, rows, final_numbers, take);
    }

    /// Where 64 bits may be too few.
    SumTable sums_of_painted() const {
        LabelSums sums(extent_);  // meets the labels in the order of their numbers
        std::vector<std::uint64_t> row(std::size_t(extent_.nx));
        std::vector<uint32_t> numbers(row.size());
        paint_as<uint32_t>({0, extent_.rows()}, nullptr, [&](const uint32_t* labels, int64_t at, int64_t n) {
            for (int64_t r = at / extent_.nx; r < (at + n) / extent_.nx; ++r, labels += extent_.nx) {
                std::copy_n(labels, extent_.nx, row.begin());
                sums.add_row(r % extent_.ny, r / extent_.ny, row, numbers);
            }
        });
        return sums.table();
    }

protected:
    /// For rules that need more than bits: nothing is labelled yet.
    TileLabelling(std::unique_ptr<Executor> executor, const Extent& extent)
        : extent_(extent), executor_(std::move(executor)), engine_(*executor_, extent) {}
    /// @param pack brings the volume to the executor's memory; @param label starts the engine
    template <class Pack, class Label>
    void pack_and_label(const Pack& pack, const Label& label) {
        const double begin = now();
        pack();
        const double labelled = now();
        label();
        count_ = engine_.count();
        seconds_.pack = labelled - begin;
        seconds_.unite = now() - labelled;
        for (const exec::Phase& phase : executor_->phases())
            if (phase.name == "number") seconds_.number = phase.milliseconds / 1000;
        seconds_.unite -= seconds_.number;
    }

    Extent extent_;
    std::unique_ptr<Executor> executor_;
    mutable std::mutex painting_;
    mutable Engine<K, Executor, R> engine_;

private:
    exec::Array<uint32_t> final_;
    ScalarType type_ = ScalarType::u32;
    uint32_t count_ = 0;
    Seconds seconds_;
};

}  // namespace voxcc::block_runs::tiles
