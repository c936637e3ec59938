// Cuts volumes into GPU slabs and labels them, for the tests of the slab engine.
#pragma once
#include "kernels/tiles.h"
#include "kernels3d/engine/gpu_slabs/limits.h"
#include "kernels3d/engine/request.h"

namespace slabs_tests {

using namespace voxcc;
using namespace voxcc::block_runs::gpu_slabs;

using Axes = std::array<bool, 3>;                                                              // the periodic axes: x, y, z
inline constexpr std::array crossing{Connectivity::c6, Connectivity::c18, Connectivity::c26};  // that join slices

/// The number of devices, and the limits for the slabs.
struct Cut {
    std::size_t devices = 1;
    Limits limits;
};

/// Slabs of one or two layers of tiles, kept or labelled again, on one or several devices.
inline const std::vector<Cut>& cuts() {
    static const std::vector<Cut> all{
        {1, {1, Residency::kept}},          {1, {1, Residency::one_at_a_time}}, {2, {}},
        {3, {1, Residency::one_at_a_time}}, {2, {32, Residency::kept}},         {4, {1, Residency::automatic}}};
    return all;
}

/// One of the cuts; each call returns the next one.
inline std::vector<Cut> next_cut() {
    static std::size_t calls = 0;
    return {cuts()[calls++ % cuts().size()]};
}

/// The executor of CPU device d. Its thread pool outlives it. A pool may serve only one host thread, and not the thread that packs rows.
std::unique_ptr<exec::CpuExecutor> device_of_threads(std::size_t d);

/// Labels a volume in slabs, on CPU executors that each stand for a device with its own threads, or on GPUs. Defined in engines.cpp.
std::unique_ptr<Labelling> labelled(const block_runs::Request& request, RowSource& source, const Cut& cut);

}  // namespace slabs_tests
