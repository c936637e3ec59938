// The slab engine: a volume cut along z, each slab labelled by a tile engine, on several devices at once.
//
//   label      each slab on its own, numbers 1..K of its own                 tiles/engine.h
//   faces      which components touch from slab to slab                      faces.h
//   number     1..K of the volume, by first voxel in raster order            numbers.h
//   paint, measure   slab by slab, by the users of with() and for_each()
//
// A host thread a device; the slabs of a device one after the other. Labels and sums are those of the volume labelled in one piece.
// Along periodic axes x and y slabs wrap around by themselves; z does between the last slab and the first.
// Memory: as tiles/engine.h for each slab that is held; three slices of u32 a device. By equal values as many of u64, and 8 bytes for each
// component of a slab: there while its faces are looked at, and on the host.
#pragma once
#include "kernels3d/block_runs/slabs/numbers.h"
#include "kernels3d/block_runs/slabs/plan.h"
#include "kernels3d/exec/thread_pool.h"

#include <functional>
#include <memory>
#include <mutex>

namespace voxcc::block_runs::slabs {

/// @tparam Feed gives a slab its voxels: feed(executor, index of the slab, slices, label) brings them to the executor's memory and calls
///              label(source) once; see tiles/source.h, by equal values tiles/values.h. Called by a thread a device at a time, always
///              with the same outcome.
template <Connectivity K, class Executor, class Feed, Rule R = Rule::foreground>
class Engine {
public:
    using Tiles = tiles::Engine<K, Executor, R>;

    /// @param executors one a device of the plan; they outlive the engine
    /// @param periodic axes that wrap around
    Engine(const std::vector<Executor*>& executors, const Extent& volume, Plan plan, Feed feed, const Periodic& periodic = {})
        : volume_(volume),
          plan_(std::move(plan)),
          feed_(std::move(feed)),
          periodic_(periodic),
          plane_{{uint32_t(volume.nx), uint32_t(volume.ny), 1}, tiles::axes_of(periodic)},
          devices_(plan_.devices()),
          slabs_(plan_.slabs.size()),
          hosts_(int(plan_.devices())) {
        for (std::size_t d = 0; d < devices_.size(); ++d) devices_[d].executor = executors[d];
    }

    /// Labels all slabs; once more if called again, with nothing left to allocate where they are kept.
    /// @return the number of components of the volume
    uint64_t label() {
        std::vector<std::vector<TouchingPair>> pairs(slabs_.size());
        on_devices(0, [&](Device& device, std::size_t d) {
            device.executor->reset_phases();
            for_slabs_of(d, [&](std::size_t s) {
                exec::Array<uint64_t> values;  // of components
                Tiles& tiles = labelled_anew(device, s, [&](const auto& source) {
                    if constexpr (by_value) values = slabs_[s].tiles->first_values(source);
                });
                if constexpr (by_value) slabs_[s].values = device.executor->fetch(values);
                if (touches_before(s) && s != first_of(d)) {
                    paint_slice(device, tiles, 0, values, device.other);
                    pairs[s] = touching_pairs<K>(*device.executor, plane_, device.last.slice(), device.other.slice());
                } else if (touches_before(s)) {
                    paint_slice(device, tiles, 0, values, device.first);
                }
                if (touches_before((s + 1) % slabs_.size())) paint_slice(device, tiles, plan_.slabs[s].count - 1, values, device.last);
            });
            device.executor->wait();
        });
        on_devices(touches_before(0) ? 0 : 1, [&](Device& device, std::size_t d) {
            const std::size_t s = first_of(d);
            if (!touches_before(s)) return;
            const Device& before = devices_[(d > 0 ? d : devices_.size()) - 1];
            device.other.require(device.executor->memory(), plane_.size);
            device.executor->bring("faces", *before.executor, before.last.numbers, device.other.numbers);
            if constexpr (by_value) device.executor->bring("faces", *before.executor, before.last.values, device.other.values);
            pairs[s] = touching_pairs<K>(*device.executor, plane_, device.other.slice(), device.first.slice());
        });
        std::vector<uint32_t> counts;
        for (const Slab& slab : slabs_) counts.push_back(slab.count);
        numbers_ = number_slabs(counts, pairs);
        return numbers_.count;
    }
    /// By equal values: the value of each component, row k - 1 for number k, as the feed's values have it; on the host.
    std::vector<uint64_t> first_values() const {
        std::vector<uint64_t> values(numbers_.count);
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            for (uint32_t k = 1; k <= slabs_[s].count; ++k) values[numbers_.slabs[s].of(k) - 1] = slabs_[s].values[k - 1];
        return values;
    }

    /// Sets what paint numbers are for. @param final_numbers by number in the volume - 1; empty: numbers stay. Not while slabs are in use.
    void set_final_numbers(std::span<const uint64_t> final_numbers) {
        final_numbers_.assign(final_numbers.begin(), final_numbers.end());
        on_devices(0, [this](Device&, std::size_t d) { for_slabs_of(d, [this](std::size_t s) { slabs_[s].painted = {}; }); });
    }

    /// A slab on its device, labelled.
    class Held {
    public:
        Executor& executor;
        Tiles& tiles;
        const std::size_t index;
        /// What components are painted as, as Engine::paint() of tiles takes it; only where all final numbers are below 2^32.
        const uint32_t* final_numbers() const { return engine_.painted(index); }

    private:
        friend class Engine;
        Held(Engine& engine, std::size_t s)
            : executor(*engine.device_of(s).executor), tiles(*engine.slabs_[s].tiles), index(s), engine_(engine) {}
        Engine& engine_;
    };

    /// Calls use(held) with slab s on its device. Thread-safe; other slabs of the device wait.
    template <class Use>
    void with(std::size_t s, const Use& use) {
        Device& device = device_of(s);
        const std::lock_guard lock(device.use);
        device.executor->enter();
        device.executor->reset_phases();
        if (!slabs_[s].tiles) labelled_anew(device, s, [](const auto&) {});
        use(Held(*this, s));
    }
    /// The same for all slabs, those of different devices at once.
    template <class Use>
    void for_each(const Use& use) {
        on_devices(0, [&](Device&, std::size_t d) { for_slabs_of(d, [&](std::size_t s) { with(s, use); }); });
    }

    const Plan& plan() const { return plan_; }
    const VolumeNumbers& numbers() const { return numbers_; }
    std::span<const uint64_t> final_numbers() const { return final_numbers_; }

private:
    static constexpr bool by_value = tiles::TileShape<K, R>::by_value;
    struct Slab {
        std::unique_ptr<Tiles> tiles;
        uint32_t count = 0;             // components
        std::vector<uint64_t> values;   // by equal values: of components
        exec::Array<uint32_t> painted;  // empty: not made yet
    };
    /// Memory for a slice.
    struct SliceArrays {
        exec::Array<uint32_t> numbers;
        exec::Array<uint64_t> values;  // only by equal values

        void require(exec::Memory& memory, const exec::Grid& plane) {
            if (numbers.size() > 0) return;
            numbers = exec::Array<uint32_t>(memory, plane.cells());
            if constexpr (by_value) values = exec::Array<uint64_t>(memory, plane.cells());
        }
        Slice slice() const { return {numbers.data(), values.data()}; }
    };
    struct Device {
        Executor* executor = nullptr;
        SliceArrays first, last, other;  // its first slice, the last one so far, one that meets one of these
        std::mutex use;
    };
    /// Whether a slab's first slice meets another one's last.
    bool touches_before(std::size_t s) const {
        return tiles::TileShape<K, R>::crosses_slices && slabs_.size() > 1 && (s > 0 || periodic_.axes[2]);
    }
    std::size_t first_of(std::size_t d) const {
        return std::size_t(std::lower_bound(plan_.device.begin(), plan_.device.end(), d) - plan_.device.begin());
    }
    Device& device_of(std::size_t s) { return devices_[plan_.device[s]]; }

    /// Calls work(device, its index) for devices from `first` on: on a thread each, a single one on the calling thread.
    template <class Work>
    void on_devices(std::size_t first, const Work& work) {
        const auto on = [&](int64_t i) {
            Device& device = devices_[first + std::size_t(i)];
            device.executor->enter();
            work(device, first + std::size_t(i));
        };
        if (devices_.size() == first + 1) on(0);
        else hosts_.for_each(int64_t(devices_.size() - first), on);
    }
    template <class Use>
    void for_slabs_of(std::size_t d, const Use& use) {
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            if (plan_.device[s] == d) use(s);
    }
    /// @param values of the slab's components
    void paint_slice(Device& device, Tiles& tiles, int64_t z, const exec::Array<uint64_t>& values, SliceArrays& slice) const {
        slice.require(device.executor->memory(), plane_.size);
        tiles.paint({z * volume_.ny, volume_.ny}, nullptr, slice.numbers.data());
        if constexpr (by_value)
            device.executor->for_each("faces", plane_.size.cells(),
                                      ValuesOfNumbers{slice.numbers.data(), values.data(), slice.values.data()});
    }
    /// @param also called with the source after it has been labelled
    template <class Also>
    Tiles& labelled_anew(Device& device, std::size_t s, const Also& also) {
        Slab& slab = slabs_[s];
        if (plan_.residency == Residency::one_at_a_time)
            for_slabs_of(plan_.device[s], [this](std::size_t other) { slabs_[other].tiles = nullptr, slabs_[other].painted = {}; });
        if (!slab.tiles) {
            Periodic within = periodic_;
            within.axes[2] = periodic_.axes[2] && slabs_.size() == 1;
            slab.tiles = std::make_unique<Tiles>(*device.executor, plan_.slabs[s].of(volume_), within);
        }
        slab.painted = {};
        feed_(*device.executor, s, plan_.slabs[s], [&](const auto& source) {
            if constexpr (by_value) slab.tiles->label_values(source);
            else slab.tiles->label(source);
            slab.count = slab.tiles->count();
            also(source);
        });
        return *slab.tiles;
    }
    const uint32_t* painted(std::size_t s) {
        const SlabNumbers& numbers = numbers_.slabs[s];
        if (final_numbers_.empty() && numbers.before == 0 && numbers.merged.empty()) return nullptr;
        Slab& slab = slabs_[s];
        if (slab.painted.size() == 0) slab.painted = painted_numbers(*device_of(s).executor, numbers, slab.count, final_numbers_);
        return slab.painted.data();
    }

    Extent volume_;
    Plan plan_;
    Feed feed_;
    Periodic periodic_;
    SlicePlane plane_;
    std::vector<Device> devices_;
    std::vector<Slab> slabs_;
    ThreadPool hosts_;
    VolumeNumbers numbers_;
    std::vector<uint64_t> final_numbers_;
};

}  // namespace voxcc::block_runs::slabs
