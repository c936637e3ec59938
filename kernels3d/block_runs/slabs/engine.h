// The slab engine: a volume cut along z, each slab labelled by a tile engine, on several devices at once.
//
//   label      each slab on its own, numbers 1..K of its own                 tiles/engine.h
//   faces      which components touch from slab to slab                      faces.h
//   number     1..K of the volume, by first voxel in raster order            numbers.h
//   paint, measure   slab by slab, by the users of with() and for_each()
//
// A host thread a device; the slabs of a device one after the other. Labels and sums are those of the volume labelled in one piece.
// Memory: as tiles/engine.h for each slab that is held; three slices of u32 a device.
#pragma once
#include "kernels3d/block_runs/slabs/numbers.h"
#include "kernels3d/block_runs/slabs/plan.h"
#include "kernels3d/exec/thread_pool.h"

#include <functional>
#include <memory>
#include <mutex>

namespace voxcc::block_runs::slabs {

/// @tparam Feed gives a slab its voxels: feed(executor, index of the slab, slices, label) brings them to the executor's memory and calls
///              label(source) once; see tiles/source.h. Called by a thread a device at a time, always with the same outcome.
template <Connectivity K, class Executor, class Feed>
class Engine {
public:
    using Tiles = tiles::Engine<K, Executor>;

    /// @param executors one a device of the plan; they outlive the engine
    Engine(const std::vector<Executor*>& executors, const Extent& volume, Plan plan, Feed feed)
        : volume_(volume),
          plan_(std::move(plan)),
          feed_(std::move(feed)),
          plane_{uint32_t(volume.nx), uint32_t(volume.ny), 1},
          devices_(plan_.devices()),
          slabs_(plan_.slabs.size()),
          hosts_(int(plan_.devices())) {
        for (std::size_t d = 0; d < devices_.size(); ++d) devices_[d].executor = executors[d];
    }

    /// Labels all slabs; once more if called again, with nothing left to allocate where they are kept.
    /// @return the number of components of the volume
    uint64_t label() {
        std::vector<std::vector<TouchingPair>> pairs(slabs_.size() - 1);
        on_devices(0, [&](Device& device, std::size_t d) {
            device.executor->reset_phases();
            for_slabs_of(d, [&](std::size_t s) {
                Tiles& tiles = labelled_anew(device, s);
                if (!crosses_slabs) return;
                if (s > 0 && plan_.device[s - 1] == d) {
                    paint_slice(device, tiles, 0, device.other);
                    pairs[s - 1] = touching_pairs<K>(*device.executor, plane_, device.last.data(), device.other.data());
                } else if (s > 0) {
                    paint_slice(device, tiles, 0, device.first);
                }
                if (s + 1 < slabs_.size()) paint_slice(device, tiles, plan_.slabs[s].count - 1, device.last);
            });
            device.executor->wait();
        });
        if (crosses_slabs && devices_.size() > 1)
            on_devices(1, [&](Device& device, std::size_t d) {
                const auto s = std::size_t(std::lower_bound(plan_.device.begin(), plan_.device.end(), d) - plan_.device.begin());
                require_plane(device, device.other);
                device.executor->bring("faces", *devices_[d - 1].executor, devices_[d - 1].last, device.other);
                pairs[s - 1] = touching_pairs<K>(*device.executor, plane_, device.other.data(), device.first.data());
            });
        std::vector<uint32_t> counts;
        for (const Slab& slab : slabs_) counts.push_back(slab.count);
        numbers_ = number_slabs(counts, pairs);
        return numbers_.count;
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
        if (!slabs_[s].tiles) labelled_anew(device, s);
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
    static constexpr bool crosses_slabs = tiles::TileShape<K>::crosses_slices;
    struct Slab {
        std::unique_ptr<Tiles> tiles;
        uint32_t count = 0;             // components
        exec::Array<uint32_t> painted;  // empty: not made yet
    };
    struct Device {
        Executor* executor = nullptr;
        exec::Array<uint32_t> first, last, other;  // numbers in its first slice, in the last one so far, in one that meets one of these
        std::mutex use;
    };
    Device& device_of(std::size_t s) { return devices_[plan_.device[s]]; }

    /// Calls work(device, its index) for devices from `first` on: on a thread each, a single one on the calling thread.
    template <class Work>
    void on_devices(std::size_t first, const Work& work) {
        const auto on = [&](int64_t i) {
            Device& device = devices_[first + std::size_t(i)];
            device.executor->enter();
            work(device, first + std::size_t(i));
        };
        if (devices_.size() - first == 1) on(0);
        else hosts_.for_each(int64_t(devices_.size() - first), on);
    }
    template <class Use>
    void for_slabs_of(std::size_t d, const Use& use) {
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            if (plan_.device[s] == d) use(s);
    }
    void require_plane(Device& device, exec::Array<uint32_t>& plane) const {
        if (plane.size() == 0) plane = exec::Array<uint32_t>(device.executor->memory(), plane_.cells());
    }
    void paint_slice(Device& device, Tiles& tiles, int64_t z, exec::Array<uint32_t>& plane) const {
        require_plane(device, plane);
        tiles.paint({z * volume_.ny, volume_.ny}, nullptr, plane.data());
    }
    Tiles& labelled_anew(Device& device, std::size_t s) {
        Slab& slab = slabs_[s];
        if (plan_.residency == Residency::one_at_a_time)
            for_slabs_of(plan_.device[s], [this](std::size_t other) { slabs_[other].tiles = nullptr, slabs_[other].painted = {}; });
        if (!slab.tiles) slab.tiles = std::make_unique<Tiles>(*device.executor, plan_.slabs[s].of(volume_));
        slab.painted = {};
        feed_(*device.executor, s, plan_.slabs[s], [&](const auto& source) {
            slab.tiles->label(source);
            slab.count = slab.tiles->count();
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
    exec::Grid plane_;
    std::vector<Device> devices_;
    std::vector<Slab> slabs_;
    ThreadPool hosts_;
    VolumeNumbers numbers_;
    std::vector<uint64_t> final_numbers_;
};

}  // namespace voxcc::block_runs::slabs
