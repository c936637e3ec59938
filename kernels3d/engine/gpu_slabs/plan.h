// Cuts a volume along z into GPU slabs, and assigns each slab to a device.
#pragma once
#include <voxcc/source.h>
#include "kernels3d/engine/gpu_slabs/limits.h"
#include "kernels3d/engine/tiles/tile_engine.h"

#include <algorithm>
#include <vector>

namespace voxcc::block_runs::gpu_slabs {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// Slices [first, first + count) of the volume.
struct Slices {
    int64_t first = 0, count = 0;
    Extent of(const Extent& volume) const { return {volume.nx, volume.ny, count}; }
};

/// How a volume is cut into slabs, and the device of each slab.
struct Plan {
    std::vector<Slices> slabs;              // in ascending z; all but the last end at the end of a layer of tiles
    std::vector<std::size_t> device;        // device index per slab; ascending, and every device has at least one slab
    Residency residency = Residency::kept;  // never automatic
    std::size_t devices() const { return device.back() + 1; }
};

/// An executor that runs nothing. Its memory only counts the bytes that would be allocated.
class NoExecutor {
public:
    exec::Memory& memory() { return memory_; }

private:
    class NoMemory : public exec::Memory {
    protected:
        void* obtain(std::size_t) override { return nullptr; }
        void give_back(void*, std::size_t) override {}
    };
    NoMemory memory_;
};
static_assert(exec::MemoryOwner<NoExecutor>);

/// Bytes of the arrays of a tile engine for a slab.
template <Connectivity K, Rule R = Rule::foreground>
std::size_t engine_bytes(const Extent& slab) {
    NoExecutor counted;
    const tiles::Engine<K, NoExecutor, R> engine(counted, slab);
    return counted.memory().peak();
}

/// Plans as few slabs as the limits of the engine and the memory allow. Each device gets about the same number of slabs. If there are
/// fewer layers of tiles than devices, only as many devices are used as there are layers.
/// @param free_bytes free bytes per device; a quarter stays free for tables, slices and labels on their way to the host
/// @param value_bytes bytes per voxel value, if values are uploaded beside the bits; else 0
/// @throw Error unsupported_by_device if a single layer of tiles exceeds the limits of the engine
template <Connectivity K, Rule R = Rule::foreground>
Plan plan_slabs(const Extent& volume, int64_t devices, std::size_t free_bytes, const Limits& limits, int64_t value_bytes = 0) {
    constexpr int64_t layer = tiles::TileShape<K, R>::size_z;
    const int64_t layers = (volume.nz + layer - 1) / layer;
    const std::size_t room = free_bytes / 4 * 3;
    devices = std::min(devices, layers);
    for (int64_t a_device = 1;; ++a_device) {
        const int64_t count = std::min(devices * a_device, layers), thickest = std::min((layers + count - 1) / count * layer, volume.nz);
        const Extent slab = Slices{0, thickest}.of(volume);
        const std::string why = tiles::why_too_large<K, R>(slab);
        if (count < layers && (thickest > limits.most_slices || !why.empty())) continue;
        if (!why.empty())
            throw Error(
                ErrorKind::unsupported_by_device, "block-runs",
                "on a GPU it divides volumes into slabs of at least " + std::to_string(layer) + " slices, and for one such slab it " + why);
        const std::size_t voxels = std::size_t(slab.rows() * words_of(slab.nx) * 8 + slab.voxels() * value_bytes);
        const std::size_t engine = engine_bytes<K, R>(slab);
        const bool all_fit = std::size_t(a_device) * engine + voxels <= room;
        Plan plan;
        plan.residency = limits.residency != Residency::automatic ? limits.residency : all_fit ? Residency::kept : Residency::one_at_a_time;
        if (plan.residency == Residency::one_at_a_time && engine + voxels > room && count < layers) continue;
        for (int64_t i = 0; i < count; ++i) {
            const int64_t first = layers * i / count * layer, end = std::min(layers * (i + 1) / count * layer, volume.nz);
            plan.slabs.push_back({first, end - first});
            plan.device.push_back(std::size_t(i * devices / count));
        }
        return plan;
    }
}

}  // namespace voxcc::block_runs::gpu_slabs
