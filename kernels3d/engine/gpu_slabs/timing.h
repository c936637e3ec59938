// Times labelling and painting of slabs whose voxels are already in device memory.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/engine/gpu_slabs/slab_engine.h"

namespace voxcc::block_runs::gpu_slabs {

/// Voxels of the slabs in device memory, [z][y][x]; foreground is nonzero. A Feed of the slab engine.
struct VoxelsOnDevices {
    Extent volume;
    const std::vector<exec::Array<std::uint8_t>>* voxels;  // one array per slab

    template <class Executor, class Label>
    void operator()(Executor&, std::size_t s, const Slices& slab, const Label& label) const {
        tiles::visit_nonzero({uint32_t(volume.nx), uint32_t(volume.ny), uint32_t(slab.count)}, (*voxels)[s].data(), label);
    }
};

/// Labels and paints a volume twice, and returns the times of the second round, in which nothing is allocated.
/// @param executors one per device of the plan
/// @param plan must keep all slabs on their devices
/// @param voxels [z][y][x] in host memory
/// @param labels receives one label per voxel in host memory; null: labels stay on the devices
template <Connectivity K, class Executor>
Times time_slabs(const std::vector<Executor*>& executors, const Extent& volume, Plan plan, const std::uint8_t* voxels, uint32_t* labels) {
    std::vector<exec::Array<std::uint8_t>> voxels_of(plan.slabs.size());
    std::vector<exec::Array<uint32_t>> labels_of(plan.slabs.size());
    const std::vector<Slices> slabs = plan.slabs;
    const auto first_voxel = [&](std::size_t s) { return slabs[s].first * volume.ny * volume.nx; };
    for (std::size_t s = 0; s < slabs.size(); ++s) {
        Executor& executor = *executors[plan.device[s]];
        executor.enter();
        voxels_of[s] = exec::Array<std::uint8_t>(executor.memory(), slabs[s].of(volume).voxels());
        labels_of[s] = exec::Array<uint32_t>(executor.memory(), slabs[s].of(volume).voxels());
        executor.upload("upload", voxels + first_voxel(s), voxels_of[s]);
    }
    Times times;
    Engine<K, Executor, VoxelsOnDevices> engine(executors, volume, std::move(plan), {volume, &voxels_of});
    for (int round = 0; round < 2; ++round) {
        Stopwatch watch;
        times.components = engine.label([&](const auto& held) {
            if (held.index == 0) times.label = 1000 * watch.lap();
            held.tiles.paint({0, slabs[held.index].count * volume.ny}, held.final_numbers(), labels_of[held.index].data());
            held.executor.wait();
        });
        times.paint = 1000 * watch.lap();
    }
    if (labels)
        engine.for_each([&](const auto& held) {
            const exec::Array<uint32_t>& from = labels_of[held.index];
            held.executor.download("download", from, from.size(), labels + first_voxel(held.index));
        });
    return times;
}

}  // namespace voxcc::block_runs::gpu_slabs
