// A labelling by the tile engine: rows come from a RowSource, labels and sums go to host memory.
#pragma once
#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include "kernels3d/base/abilities.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/bus_labels.h"
#include "kernels3d/engine/tiles/pack_rows.h"
#include "kernels3d/engine/tiles/paint_ahead.h"
#include "kernels3d/threads/reading.h"

#include <mutex>

namespace voxcc::block_runs::tiles {

/// For paint_to_host: writes labels one behind the other, `bytes` per label.
struct CopyTo {
    std::byte* out;
    int bytes;
    Stores stores;
    template <class Label>
    void operator()(const Label* from, int64_t at, int64_t n) const {
        copy_bus_labels(reinterpret_cast<const std::byte*>(from), int(sizeof(Label)), n, out + at * bytes, bytes, stores);
    }
    CopyTo from(int64_t at) const { return {out + at * bytes, bytes, stores}; }
};

/// Paints rows of nx voxels and passes them on piece by piece: take(labels, at, n) gets n labels in host memory; `at` labels come before
/// them.
/// @param final_numbers see Engine::paint()
template <class Label, class Engine, class Executor, class Take>
void paint_to_host(Executor& executor, PaintBuffers& buffers, const Engine& engine, int64_t nx, RowRange rows,
                   const uint32_t* final_numbers, const Take& take) {
    constexpr int64_t piece_bytes = int64_t{32} << 20, width = sizeof(Label);
    const int64_t step = std::clamp<int64_t>(piece_bytes / (nx * width), 1, std::max<int64_t>(1, rows.count));
    buffers.require(executor, step * nx * width);
    for (int64_t first = rows.first; first < rows.end(); first += step) {
        const RowRange piece{first, std::min(step, rows.end() - first)};
        engine.paint_by(executor, piece, final_numbers, reinterpret_cast<Label*>(buffers.labels.data()));
        executor.download("download", buffers.labels, piece.count * nx * width, buffers.staging.data());
        take(reinterpret_cast<const Label*>(buffers.staging.data()), (first - rows.first) * nx, piece.count * nx);
    }
}

/// Final numbers in the memory of the executor, as for Engine::paint(). An empty list gives an empty array.
template <class Executor>
exec::Array<uint32_t> uploaded(Executor& executor, std::span<const std::uint64_t> final_numbers) {
    if (final_numbers.empty()) return {};
    std::vector<uint32_t> with_background{0};
    with_background.insert(with_background.end(), final_numbers.begin(), final_numbers.end());
    exec::Array<uint32_t> numbers(executor.memory(), int64_t(with_background.size()));
    executor.upload("upload", with_background.data(), numbers);
    return numbers;
}

/// Executors with buffers, for threads that paint at the same time: while one thread copies labels, other threads paint. An executor is
/// reused by later threads. Thread-safe.
template <class Executor>
class Painters {
public:
    /// Calls use(executor, buffers) with a pair that no other thread uses.
    /// @param first an executor of the device
    template <class Use>
    void with_one(Executor& first, const Use& use) {
        std::unique_ptr<Painter> painter;
        {
            const std::lock_guard lock(mutex_);
            if (idle_.empty()) idle_.push_back(std::make_unique<Painter>(Painter{first.another(), {}}));
            painter = std::move(idle_.back());
            idle_.pop_back();
        }
        painter->executor->enter();
        painter->executor->reset_phases();
        use(*painter->executor, painter->buffers);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(painter));
    }

private:
    struct Painter {
        std::unique_ptr<Executor> executor;
        PaintBuffers buffers;
    };
    std::mutex mutex_;
    std::vector<std::unique_ptr<Painter>> idle_;
};

template <Connectivity K, class Executor, Rule R = Rule::foreground>
class TileLabelling : public Labelling, public ReadsEnds, public CountsNeighbours {
public:
    /// Labels the volume.
    /// @param executor made for this labelling; must not run work on `pool`
    TileLabelling(std::unique_ptr<Executor> executor, const Request& request, RowSource& source, ThreadPool& pool)
        : TileLabelling(std::move(executor), request) {
        const Extent& extent = request.extent;
        const int64_t row_words = words_of(extent.nx), words = extent.rows() * row_words;
        exec::Array<uint64_t> packed(executor_->staging(), words), bits(executor_->memory(), words);
        const BitRows on_device{{uint32_t(extent.nx), uint32_t(extent.ny), uint32_t(extent.nz)}, bits.data()};
        // Layers of tiles are sent to the device and labelled there while later rows are read and packed.
        const int64_t layer_rows = Engine<K, Executor, R>::Shape::size_z * extent.ny,
                      layers = (extent.rows() + layer_rows - 1) / layer_rows;
        const int64_t least_layers_per_call = (layers + 15) / 16;
        int64_t sent = 0;
        const auto send = [&](int64_t rows) {
            const int64_t ready = rows == extent.rows() ? layers : rows / layer_rows;
            if (ready == sent || (ready < layers && ready - sent < least_layers_per_call)) return;
            const int64_t first = sent * layer_rows, end = std::min(ready * layer_rows, extent.rows());
            executor_->enter();
            executor_->send("upload", packed.data() + first * row_words, bits, first * row_words, (end - first) * row_words);
            engine_.label_layers(on_device, sent, ready - sent);
            sent = ready;
        };
        pack_and_label([&] { pack_rows(source, extent, pool, packed.data(), send); },
                       [&] {
                           executor_->enter();
                           engine_.join_layers();
                       });
    }

    std::uint64_t count() const override { return count_; }
    std::vector<std::uint64_t> source_values() const override { return {}; }
    const Seconds& seconds() const override { return seconds_; }

    SumTable measure() override {
        const double begin = clock_seconds();
        executor_->enter();
        SumTable table = second_moments_fit(extent_) ? SumTable(executor_->fetch(engine_.measure())) : sums_of_painted();
        seconds_.measure = clock_seconds() - begin;
        return table;
    }

    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        ahead_.wait();
        executor_->enter();
        type_ = type;
        final_ = uploaded(*executor_, final_numbers);
        const std::uint64_t largest = final_numbers.empty() ? count_ : *std::max_element(final_numbers.begin(), final_numbers.end());
        width_ = std::min(bytes_on_bus(largest), int(size_of(type)));
        ahead_.start_again(width_, final_.data());
    }

    void paint(RowRange rows, std::byte* out, Stores stores) const override {
        visit_bus_label(width_, [&]<class Narrow> { paint_as<Narrow>(rows, CopyTo{out, int(size_of(type_)), stores}); });
    }

    Ends read_ends(const Request& request, ThreadPool&) override {
        ahead_.wait();
        executor_->enter();
        Ends ends(request.extent, request.periodic, int(sizeof(uint32_t)), request.memory);
        engine_.read_ends(ends);
        return ends;
    }

    bool count_shape(const ShapeRequest& request, std::span<const std::uint64_t> final_numbers,
                     const std::function<void(std::uint64_t, const ShapeCounts&)>& add) override {
        if (request.connectivity != K || request.rule != R) return false;
        ahead_.wait();
        executor_->enter();
        const exec::Array<uint32_t> numbers = uploaded(*executor_, final_numbers);
        const auto components = uint32_t(final_numbers.empty() ? count_ : *std::ranges::max_element(final_numbers));
        take_shapes(*executor_, engine_.count_shapes(request.periodic, numbers.data(), components), components, add);
        return true;
    }

    std::optional<std::vector<LabelContact>> contacts(Connectivity connectivity, std::span<const std::uint64_t> final_numbers,
                                                      MemoryLimit* memory) override {
        if (!engine_.can_count(connectivity)) return std::nullopt;
        ahead_.wait();
        executor_->enter();
        try {
            const exec::Array<uint32_t> numbers = uploaded(*executor_, final_numbers);
            return engine_.contacts(connectivity, numbers.data(), memory);
        } catch (const Error& error) {  // too many pairs for the device
            if (error.kind() != ErrorKind::device_memory && error.kind() != ErrorKind::unsupported_by_device) throw;
            return std::nullopt;
        }
    }

private:
    template <class Narrow>
    void paint_as(RowRange rows, const CopyTo& take) const {
        const int64_t taken = ahead_.take(*executor_, rows, [&](const std::byte* labels, int64_t at, int64_t n) {
            take(reinterpret_cast<const Narrow*>(labels), at, n);
        });
        const RowRange rest{rows.first + taken, rows.count - taken};
        if (rest.count == 0) return;
        painters_.with_one(*executor_, [&](Executor& executor, PaintBuffers& buffers) {
            paint_to_host<Narrow>(executor, buffers, engine_, extent_.nx, rest, final_.data(), take.from(taken * extent_.nx));
        });
    }

    /// Sums from painted labels, on the host, for volumes whose second moments may not fit 64 bits.
    SumTable sums_of_painted() {
        LabelSums sums(extent_);  // labels first occur in the order of their numbers
        std::vector<std::uint64_t> row(std::size_t(extent_.nx));
        std::vector<uint32_t> numbers(row.size());
        PaintBuffers buffers;
        const auto add = [&](const uint32_t* labels, int64_t at, int64_t n) {
            for (int64_t r = at / extent_.nx; r < (at + n) / extent_.nx; ++r, labels += extent_.nx) {
                std::copy_n(labels, extent_.nx, row.begin());
                sums.add_row(r % extent_.ny, r / extent_.ny, row, numbers);
            }
        };
        paint_to_host<uint32_t>(*executor_, buffers, engine_, extent_.nx, {0, extent_.rows()}, nullptr, add);
        return sums.table();
    }

protected:
    /// For derived classes whose rules need more than bits. Labels nothing yet.
    TileLabelling(std::unique_ptr<Executor> executor, const Request& request)
        : extent_(request.extent), executor_(std::move(executor)), engine_(*executor_, request.extent), ahead_(engine_, request.extent) {}
    /// Labels the volume and sets its times and its count.
    /// @param pack brings the volume to the memory of the executor
    /// @param label starts the engine
    template <class Pack, class Label>
    void pack_and_label(const Pack& pack, const Label& label) {
        const double begin = clock_seconds();
        pack();
        const double labelled = clock_seconds();
        label();
        count_ = engine_.count();
        seconds_.pack = labelled - begin;
        seconds_.unite = clock_seconds() - labelled;
        for (const exec::Phase& phase : executor_->phases())
            if (phase.name == "number") seconds_.number = phase.milliseconds / 1000;
        seconds_.unite -= seconds_.number;
    }

    Extent extent_;
    std::unique_ptr<Executor> executor_;
    Engine<K, Executor, R> engine_;
    mutable PaintAhead<Executor, Engine<K, Executor, R>> ahead_;
    mutable Painters<Executor> painters_;  // for rows that ahead_ does not paint

private:
    exec::Array<uint32_t> final_;
    ScalarType type_ = ScalarType::u32;
    int width_ = 4;  // bytes per label on the bus
    uint32_t count_ = 0;
    Seconds seconds_;
};

}  // namespace voxcc::block_runs::tiles
