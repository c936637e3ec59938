// The slab engine: cuts a volume along z into GPU slabs. A tile engine labels each slab, on several devices at once.
//
//   label      each slab on its own, numbers 1..K of its own                 tiles/engine.h
//   faces      which components touch from slab to slab                      faces.h
//   number     1..K of the volume, by first voxel in raster order            seams.h
//   paint, measure   slab by slab, by the users of with() and for_each()
//
// One host thread per device labels the slabs of the device one after the other. Labels and sums are identical to the labels and sums of
// the volume labelled in one piece.
//
// Memory: as tiles/tile_engine.h for each slab that is held, and three slices of u32 per device. For rules that compare values also three
// slices of u64 per device. For Rule::equal_values also 8 bytes per component of a slab: on the device while its faces are examined, and
// on the host.
#pragma once
#include <voxcc/error.h>
#include <voxcc/threads.h>
#include "kernels3d/engine/gpu_slabs/faces.h"
#include "kernels3d/engine/gpu_slabs/numbers.h"
#include "kernels3d/engine/gpu_slabs/plan.h"
#include "kernels3d/threads/meeting.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>

namespace voxcc::block_runs::gpu_slabs {

/// Labels a volume in slabs.
/// @tparam Feed provides the voxels of a slab: feed(executor, slab index, slices, label) brings them to the memory of the executor and
///     calls label(source) once. For the source see tiles/source.h, or tiles/values.h for rules that compare values. One thread per device
///     calls it at a time. It must provide the same voxels every time
template <Connectivity K, class Executor, class Feed, Rule R = Rule::foreground>
class Engine {
public:
    using Tiles = tiles::Engine<K, Executor, R>;

    /// @param executors one per device of the plan; must outlive the engine
    /// @throw Error out_of_memory if fewer host threads than devices can be started
    Engine(const std::vector<Executor*>& executors, const Extent& volume, Plan plan, Feed feed)
        : volume_(volume),
          plan_(std::move(plan)),
          feed_(std::move(feed)),
          plane_{uint32_t(volume.nx), uint32_t(volume.ny), 1},
          devices_(plan_.devices()),
          slabs_(plan_.slabs.size()),
          counts_(executors.front()->staging(), int64_t(plan_.slabs.size())),
          hosts_(int(plan_.devices())) {
        if (hosts_.size() < int(devices_.size()))  // the host threads wait for each other, so all must run
            throw Error(ErrorKind::process_limit, "threads",
                        "only " + std::to_string(hosts_.size()) + " of " + std::to_string(devices_.size()) + " could be started");
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            devices_[d].executor = executors[d];
            executors[d]->set_timing(exec::Timing::none);
        }
    }

    /// Labels all slabs. A second call labels them again; if slabs are kept, it allocates nothing.
    /// @return the number of components of the volume
    uint64_t label() {
        return label([](const Held&) {});
    }
    /// Labels all slabs, then calls then(held) for each slab that is on its device. If slabs are not kept, this is only the last slab of
    /// each device. Calls for different devices may run at the same time.
    template <class Then>
    uint64_t label(const Then& then) {
        std::vector<std::vector<seams::TouchingPair>> pairs(slabs_.size());
        Meeting meeting(int(devices_.size()));
        on_devices([&](Device& device, std::size_t d) {
            try {
                label_slabs_of(device, d, pairs);
                device.executor->mark();
                if (!meeting.meet()) return;
                look_at_first_face(device, d, pairs);
                device.executor->wait();
                if (!meeting.meet([&] { numbers_ = seams::number_pieces({counts_.data(), slabs_.size()}, pairs); })) return;
                for_slabs_of(d, [&](std::size_t s) {
                    if (slabs_[s].tiles) then(Held(*this, s));
                });
            } catch (...) {
                meeting.fail();
                throw;
            }
        });
        return numbers_.count;
    }
    /// For Rule::equal_values: the value of each component as provided by the feed, in host memory; entry k - 1 for number k.
    std::vector<uint64_t> first_values() const {
        std::vector<uint64_t> values(numbers_.count);
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            for (uint32_t k = 1; k <= counts_.data()[s]; ++k) values[numbers_.slabs[s].of(k) - 1] = slabs_[s].values[k - 1];
        return values;
    }

    /// Sets the numbers with which components are painted. No slab may be in use.
    /// @param final_numbers by number in the volume - 1; empty: numbers stay as they are
    void set_final_numbers(std::span<const uint64_t> final_numbers) {
        final_numbers_.assign(final_numbers.begin(), final_numbers.end());
        on_devices([this](Device&, std::size_t d) { for_slabs_of(d, [this](std::size_t s) { slabs_[s].painted = {}; }); });
    }

    /// A labelled slab on its device.
    class Held {
    public:
        Executor& executor;
        Tiles& tiles;
        const std::size_t index;
        /// The numbers with which components are painted, for Engine::paint() of tiles. All final numbers must be below 2^32.
        const uint32_t* final_numbers() const { return engine_.painted(index); }

    private:
        friend class Engine;
        Held(Engine& engine, std::size_t s)
            : executor(*engine.device_of(s).executor), tiles(*engine.slabs_[s].tiles), index(s), engine_(engine) {}
        Engine& engine_;
    };

    /// Calls use(held) while slab s is on its device. Other calls for slabs of the same device wait. Thread-safe.
    template <class Use>
    void with(std::size_t s, const Use& use) {
        Device& device = device_of(s);
        const std::lock_guard lock(device.use);
        device.executor->enter();
        if (!slabs_[s].tiles) labelled_anew(device, s, [](const auto&) {});
        use(Held(*this, s));
    }
    /// Calls use(held) for all slabs. Calls for different devices may run at the same time.
    template <class Use>
    void for_each(const Use& use) {
        on_devices([&](Device&, std::size_t d) { for_slabs_of(d, [&](std::size_t s) { with(s, use); }); });
    }

    const Plan& plan() const { return plan_; }
    const seams::VolumeNumbers& numbers() const { return numbers_; }
    std::span<const uint64_t> final_numbers() const { return final_numbers_; }

private:
    static constexpr bool by_value = tiles::TileShape<K, R>::by_value;
    struct Slab {
        std::unique_ptr<Tiles> tiles;
        std::vector<uint64_t> values;  // for Rule::equal_values: one per component of the slab; empty for Rule::gradient
        PaintTable painted;            // empty until it is needed
    };
    /// Memory for one slice.
    struct SliceArrays {
        exec::Array<uint32_t> numbers;
        exec::Array<uint64_t> values;  // for rules that compare values only

        void require(exec::Memory& memory, const exec::Grid& plane) {
            if (numbers.size() == 0) numbers = exec::Array<uint32_t>(memory, plane.cells());
            if (by_value && values.size() == 0) values = exec::Array<uint64_t>(memory, plane.cells());
        }
        Slice slice() const { return {numbers.data(), values.data()}; }
    };
    struct Device {
        Executor* executor = nullptr;
        std::unique_ptr<TouchingPairsList<K, Executor>> touching;
        SliceArrays first, last, other;                  // of its first slab; of its last slab so far; a slice next to one of these
        std::optional<tiles::NearWords<uint64_t>> near;  // the rule that connects the values of slices, if it is Rule::gradient
        std::mutex use;
    };
    /// Whether the first slice of slab s touches the last slice of the slab before it.
    bool touches_before(std::size_t s) const { return tiles::TileShape<K, R>::crosses_slices && s > 0; }
    /// Index of the first slab of device d.
    std::size_t first_of(std::size_t d) const {
        return std::size_t(std::lower_bound(plan_.device.begin(), plan_.device.end(), d) - plan_.device.begin());
    }
    Device& device_of(std::size_t s) { return devices_[plan_.device[s]]; }

    /// Calls work(device, index) for all devices at the same time, on one thread per device.
    template <class Work>
    void on_devices(const Work& work) {
        hosts_.for_each(int64_t(devices_.size()), [&](int64_t d) {
            Device& device = devices_[std::size_t(d)];
            device.executor->enter();
            work(device, std::size_t(d));
        });
    }
    /// Calls use(s) for the slabs s of device d.
    template <class Use>
    void for_slabs_of(std::size_t d, const Use& use) {
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            if (plan_.device[s] == d) use(s);
    }
    /// Labels all slabs of a device and finds the pairs at the faces between them. On return the executor may still be painting the
    /// first and the last slice.
    void label_slabs_of(Device& device, std::size_t d, std::vector<std::vector<seams::TouchingPair>>& pairs) {
        for_slabs_of(d, [&](std::size_t s) {
            labelled_anew(device, s, [&](const auto& source) {
                slabs_[s].tiles->receive_count(counts_.data() + s);
                look_at_slices(device, d, s, source, pairs);
            });
        });
    }
    /// Paints the first and the last slice of slab s of device d, if other slabs touch them. Finds the pairs at the face to the slab
    /// before, if that slab is on the same device.
    template <class Source>
    void look_at_slices(Device& device, std::size_t d, std::size_t s, const Source& source,
                        std::vector<std::vector<seams::TouchingPair>>& pairs) {
        const bool is_first = s == first_of(d);
        Tiles& tiles = *slabs_[s].tiles;
        exec::Array<uint64_t> values;  // of components
        if constexpr (by_value) {
            if constexpr (Source::Joins::transitive) {
                values = tiles.first_values(source);
                slabs_[s].values = device.executor->fetch(values);
            } else {
                device.near = source.joins.for_wide();
            }
        }
        const auto paint = [&](int64_t z, SliceArrays& slice) {
            paint_slice(device, tiles, z, slice);
            [[maybe_unused]] const int64_t voxels = plane_.cells();
            if constexpr (by_value) {
                if constexpr (Source::Joins::transitive)
                    device.executor->for_each("faces", voxels, ValuesOfNumbers{slice.numbers.data(), values.data(), slice.values.data()});
                else {
                    using Value = std::remove_cvref_t<decltype(*source.values)>;
                    device.executor->for_each("faces", voxels,
                                              WideValues<Value>{source.values + z * voxels, source.joins, slice.values.data()});
                }
            }
        };
        if (touches_before(s)) paint(0, is_first ? device.first : device.other);
        if (touches_before(s) && !is_first) pairs[s] = touching_pairs(device, device.last.slice(), device.other.slice());
        if (touches_before((s + 1) % slabs_.size())) paint(plan_.slabs[s].count - 1, device.last);
    }
    /// Finds the pairs at the face between the first slab of a device and the slab before it. That slab may be on another device.
    void look_at_first_face(Device& device, std::size_t d, std::vector<std::vector<seams::TouchingPair>>& pairs) {
        const std::size_t s = first_of(d);
        if (!touches_before(s)) return;
        const Device& before = devices_[d - 1];
        Slice below{device.executor->reach("faces", *before.executor, before.last.numbers, device.other.numbers), nullptr};
        if constexpr (by_value) below.values = device.executor->reach("faces", *before.executor, before.last.values, device.other.values);
        pairs[s] = touching_pairs(device, below, device.first.slice());
    }
    std::vector<seams::TouchingPair> touching_pairs(Device& device, const Slice& below, const Slice& above) {
        if (!device.touching) device.touching = std::make_unique<TouchingPairsList<K, Executor>>(*device.executor);
        if constexpr (by_value)
            if (device.near) return device.touching->between(plane_, below, above, *device.near);
        return device.touching->between(plane_, below, above);
    }
    /// Paints slice z of a slab.
    void paint_slice(Device& device, Tiles& tiles, int64_t z, SliceArrays& slice) const {
        slice.require(device.executor->memory(), plane_);
        tiles.paint({z * volume_.ny, volume_.ny}, nullptr, slice.numbers.data());
    }
    /// Labels slab s again.
    /// @param also called as also(source) after the slab is labelled
    template <class Also>
    void labelled_anew(Device& device, std::size_t s, const Also& also) {
        Slab& slab = slabs_[s];
        if (plan_.residency == Residency::one_at_a_time)
            for_slabs_of(plan_.device[s], [this](std::size_t other) { slabs_[other].tiles = nullptr, slabs_[other].painted = {}; });
        if (!slab.tiles) {
            slab.tiles = std::make_unique<Tiles>(*device.executor, plan_.slabs[s].of(volume_));
        }
        slab.painted = {};
        feed_(*device.executor, s, plan_.slabs[s], [&](const auto& source) {
            if constexpr (by_value) slab.tiles->label_values(source);
            else slab.tiles->label(source);
            also(source);
        });
    }
    /// The paint table of slab s, made on first use; null if its numbers are the numbers of the volume.
    const uint32_t* painted(std::size_t s) {
        const seams::NumbersOfSlab& numbers = numbers_.slabs[s];
        if (final_numbers_.empty() && numbers.before == 0 && numbers.merged.empty()) return nullptr;
        Slab& slab = slabs_[s];
        if (slab.painted.numbers.size() == 0)
            slab.painted = paint_table(*device_of(s).executor, numbers, counts_.data()[s], final_numbers_);
        return slab.painted.numbers.data();
    }

    Extent volume_;
    Plan plan_;
    Feed feed_;
    exec::Grid plane_;  // the size of a slice
    std::vector<Device> devices_;
    std::vector<Slab> slabs_;
    exec::Array<uint32_t> counts_;  // number of components per slab, in host memory
    ThreadPool hosts_;
    seams::VolumeNumbers numbers_;
    std::vector<uint64_t> final_numbers_;
};

}  // namespace voxcc::block_runs::gpu_slabs
