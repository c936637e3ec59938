// A labelling in GPU slabs: as tiles/tile_labelling.h, but on several devices, and for volumes that exceed the limits of one tile engine.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/engine/gpu_slabs/packed.h"
#include "kernels3d/engine/gpu_slabs/slab_engine.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/label.h"

#include <functional>
#include <future>

namespace voxcc::block_runs::gpu_slabs {

/// The executors as plain pointers, in the same order.
template <class Executor>
std::vector<Executor*> pointers_to(const std::vector<std::unique_ptr<Executor>>& executors) {
    std::vector<Executor*> pointers;
    for (const auto& executor : executors) pointers.push_back(executor.get());
    return pointers;
}

/// A volume labelled in GPU slabs, with labels and sums for the host.
template <Connectivity K, class Executor, Rule R>
class SlabLabelling : public Labelling {
public:
    /// Packs and labels the volume.
    /// @param executors one per device of the plan; must not run work on `pool`
    SlabLabelling(std::vector<std::unique_ptr<Executor>> executors, const Request& request, Plan plan, RowSource& source, ThreadPool& pool)
        : extent_(request.extent),
          rule_(request.rule),
          value_type_(source.value_type()),
          executors_(std::move(executors)),
          packed_(executors_.front()->staging(), request, source),
          engine_(pointers_to(executors_), extent_, std::move(plan), std::ref(packed_)) {
        const double begin = clock_seconds();
        std::future<void> labelled = std::async(std::launch::async, [this] { engine_.label(); });  // the future waits for it on every exit
        packed_.pack(source, pool);
        seconds_.pack = clock_seconds() - begin;
        labelled.get();
        seconds_.unite = clock_seconds() - begin - seconds_.pack;
        if (engine_.plan().residency == Residency::kept) packed_.release();
    }

    std::uint64_t count() const override { return engine_.numbers().count; }
    std::vector<std::uint64_t> source_values() const override {
        if (rule_ != Rule::equal_values) return {};
        return tiles::widened(engine_.first_values(), value_type_);
    }
    const Seconds& seconds() const override { return seconds_; }

    SumTable measure() override {
        const double begin = clock_seconds();
        const auto fits = [this](const Slices& slab) { return second_moments_fit(slab.of(extent_)); };
        const bool all_fit = std::all_of(engine_.plan().slabs.begin(), engine_.plan().slabs.end(), fits);
        SumTable table = !all_fit ? sums_of_painted() : second_moments_fit(extent_) ? sums_of_slabs<uint64_t>() : sums_of_slabs<uint128>();
        seconds_.measure = clock_seconds() - begin;
        return table;
    }

    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        type_ = type;
        engine_.set_final_numbers(final_numbers);
    }

    void paint(RowRange rows, std::byte* out, Stores stores) const override {
        switch (size_of(type_)) {
            case 1: return paint_as<std::uint8_t>(rows, out, stores);
            case 2: return paint_as<std::uint16_t>(rows, out, stores);
            case 4: return paint_as<uint32_t>(rows, out, stores);
            default: return paint_wide(rows, engine_.final_numbers(), out);
        }
    }

private:
    using SlabEngine = Engine<K, Executor, std::reference_wrapper<PackedVolume<R>>, R>;
    using Held = typename SlabEngine::Held;

    /// Calls use(held, part, before) for each slab that contains some of `rows`. `part` is the rows in the slab, counted from its first
    /// row; `before` is the number of voxels of `rows` before them.
    template <class Use>
    void with_rows(RowRange rows, const Use& use) const {
        const std::vector<Slices>& slabs = engine_.plan().slabs;
        for (std::size_t s = 0; s < slabs.size(); ++s) {
            const RowRange all{slabs[s].first * extent_.ny, slabs[s].count * extent_.ny};
            const int64_t first = std::max(rows.first, all.first), end = std::min(rows.end(), all.end());
            if (first >= end) continue;
            const RowRange part{first - all.first, end - first};
            engine_.with(s, [&](const Held& held) { use(held, part, (first - rows.first) * extent_.nx); });
        }
    }
    template <class Label>
    void paint_as(RowRange rows, std::byte* out, Stores stores) const {
        with_rows(rows, [&](const Held& held, RowRange part, int64_t before) {
            const tiles::CopyTo copy{out + before * int64_t(sizeof(Label)), int(sizeof(Label)), stores};
            tiles::PaintBuffers buffers;
            tiles::paint_to_host<Label>(held.executor, buffers, held.tiles, extent_.nx, part, held.final_numbers(), copy);
        });
    }
    /// Paints as u64. Devices do not support this type, so the host looks up the numbers of the slabs.
    void paint_wide(RowRange rows, std::span<const uint64_t> final_numbers, std::byte* out) const {
        with_rows(rows, [&](const Held& held, RowRange part, int64_t before) {
            const seams::NumbersOfSlab& numbers = engine_.numbers().slabs[held.index];
            uint32_t last = 0;
            uint64_t label = 0;  // label of the number `last`
            const auto look_up = [&](uint32_t number) {
                if (number == last) return label;
                last = number;
                label = number == 0 ? 0 : numbers.of(number);
                if (number > 0 && !final_numbers.empty()) label = final_numbers[label - 1];
                return label;
            };
            uint64_t* const to = reinterpret_cast<uint64_t*>(out) + before;
            tiles::PaintBuffers buffers;
            tiles::paint_to_host<uint32_t>(
                held.executor, buffers, held.tiles, extent_.nx, part, nullptr,
                [&](const uint32_t* from, int64_t at, int64_t n) { std::transform(from, from + n, to + at, look_up); });
        });
    }

    /// The sums of the components, merged from the sums of the slabs.
    template <class Wide>
    SumTable sums_of_slabs() {
        std::vector<Sums<Wide>> sums(engine_.numbers().count);
        std::mutex adding;  // slabs of several devices may contain parts of one component
        engine_.for_each([&](const Held& held) {
            const std::vector<tiles::TableRow> rows = held.executor.fetch(held.tiles.measure());
            const seams::NumbersOfSlab& numbers = engine_.numbers().slabs[held.index];
            const auto first_slice = uint32_t(engine_.plan().slabs[held.index].first);
            const std::lock_guard lock(adding);
            for (std::size_t k = 0; k < rows.size(); ++k)
                sums[numbers.of(uint32_t(k + 1)) - 1].add(rows[k].template moved_up<Wide>(first_slice));
        });
        return SumTable(std::move(sums));
    }
    /// The sums of the components, computed on the host from painted labels. For slabs whose second moments may not fit 64 bits.
    SumTable sums_of_painted() const {
        LabelSums sums(extent_);  // labels first occur in the order of their numbers
        std::vector<uint64_t> slice(std::size_t(extent_.nx * extent_.ny));
        std::vector<uint32_t> numbers(std::size_t(extent_.nx));
        for (int64_t z = 0; z < extent_.nz; ++z) {
            paint_wide({z * extent_.ny, extent_.ny}, {}, reinterpret_cast<std::byte*>(slice.data()));
            for (int64_t y = 0; y < extent_.ny; ++y)
                sums.add_row(y, z, std::span(slice).subspan(std::size_t(y * extent_.nx), numbers.size()), numbers);
        }
        return sums.table();
    }

    Extent extent_;
    Rule rule_;
    ScalarType value_type_;
    std::vector<std::unique_ptr<Executor>> executors_;
    PackedVolume<R> packed_;  // in host memory; released early if all slabs stay on their devices
    mutable SlabEngine engine_;
    ScalarType type_ = ScalarType::u32;
    Seconds seconds_;
};

/// Makes the executor of the d-th device.
template <class Executor>
using MakeExecutor = std::function<std::unique_ptr<Executor>(std::size_t d)>;

/// As label_in_slabs(), for one connectivity and one rule.
template <Connectivity K, Rule R, class Executor>
std::unique_ptr<Labelling> label_slabs_by(const Request& request, RowSource& source, ThreadPool& pool, std::size_t devices,
                                          const MakeExecutor<Executor>& make_executor, const Limits& limits) {
    std::vector<std::unique_ptr<Executor>> executors;
    std::size_t free_bytes = ~std::size_t{0};
    for (std::size_t d = 0; d < devices; ++d) {
        executors.push_back(make_executor(d));
        free_bytes = std::min(free_bytes, executors.back()->free_bytes());
    }
    free_bytes /= std::size_t(request.volumes_per_device);
    Plan plan = plan_slabs<K, R>(request.extent, int64_t(devices), free_bytes, limits, PackedVolume<R>::value_bytes(source));
    if (plan.slabs.size() > 1)
        return std::make_unique<SlabLabelling<K, Executor, R>>(std::move(executors), request, std::move(plan), source, pool);
    executors.front()->enter();
    return std::make_unique<tiles::LabellingBy<R, K, Executor>>(std::move(executors.front()), request, source, pool);
}

/// As block_runs::label(), on executors that are made for it: in one piece (tiles/labelling.h) on one device where that holds the volume,
/// else in slabs.
/// @param devices how many may be used; make_executor(0), .. makes the executor of each
/// @throw as tiles::label_in_tiles(), but for volumes that slabs make small enough
template <class Executor>
std::unique_ptr<Labelling> label_in_slabs(const Request& request, RowSource& source, ThreadPool& pool, std::size_t devices,
                                          const MakeExecutor<Executor>& make_executor, const Limits& limits = {}) {
    return tiles::visit_request(request, [&]<Connectivity K, Rule R>() -> std::unique_ptr<Labelling> {
        Request r = request;
        r.connectivity = K;
        return label_periodic(r, source, pool, [&](const Request& plain, RowSource& rows) {
            return label_slabs_by<K, R, Executor>(plain, rows, pool, devices, make_executor, limits);
        });
    });
}

/// The instances of label_slabs_by() of one rule. `instance` is `template` in the file that compiles them, `extern template` in others.
#define VOXCC_LABEL_SLABS(K, instance, R, Executor)                                         \
    instance std::unique_ptr<Labelling> label_slabs_by<Connectivity::K, Rule::R, Executor>( \
        const Request&, RowSource&, ThreadPool&, std::size_t, const MakeExecutor<Executor>&, const Limits&);
#define VOXCC_LABEL_SLABS_OF_RULE(instance, R, Executor) VOXCC_PER_CONNECTIVITY(VOXCC_LABEL_SLABS, instance, R, Executor)

}  // namespace voxcc::block_runs::gpu_slabs
