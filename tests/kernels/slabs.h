// How the tests of slabs cut volumes and have them labelled.
#pragma once
#include "kernels/tiles.h"
#include "kernels3d/block_runs/gpu_slabs/limits.h"

namespace slabs_tests {

using namespace voxcc;
using namespace voxcc::block_runs::slabs;

/// How a volume is cut, and on how many devices it is labelled.
struct Cut {
    std::size_t devices = 1;
    Limits limits;
};

/// Slabs of one layer of tiles and of two, kept and labelled again, on one device and on several.
inline const std::vector<Cut>& cuts() {
    static const std::vector<Cut> all{
        {1, {1, Residency::kept}},          {1, {1, Residency::one_at_a_time}}, {2, {}},
        {3, {1, Residency::one_at_a_time}}, {2, {32, Residency::kept}},         {4, {1, Residency::automatic}}};
    return all;
}

/// One of the cuts, another one at each call.
inline std::vector<Cut> next_cut() {
    static std::size_t calls = 0;
    return {cuts()[calls++ % cuts().size()]};
}

/// The executor of CPU device d, with threads that outlive it: a thread pool is used by one host thread, and not by that which packs rows.
std::unique_ptr<exec::CpuExecutor> device_of_threads(std::size_t d);

/// In slabs on CPU executors, each a device with threads of its own, or on GPUs; in engines.cpp.
std::unique_ptr<block_runs::Labelling> labelled(const block_runs::Request& request, block_runs::RowSource& source, const Cut& cut);

}  // namespace slabs_tests
