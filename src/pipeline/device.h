// Chooses the algorithm and the device of a run.
#pragma once
#include <voxcc/device.h>
#include "src/options/options.h"
#include "src/pipeline/device_shares.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace voxcc {

struct Choice {
    const Algorithm* algorithm = nullptr;
    Device device;     // a result of require_device(); with DuringStart::use_cpu also the list of all devices, which is empty
    std::string text;  // "cpu, block-runs (avx512), 8 threads"
    std::string why;   // reason for the choice of --device auto; empty if the user named the device
    enum class Devices {
        cpu_only,
        several
    } devices = Devices::cpu_only;  // what --device auto could choose from: several if a GPU is usable
    DuringStart during_start = DuringStart::wait;
};

/// The rule by which neighbouring foreground voxels are connected.
Rule rule_of(const LabelOptions& options);

/// The number of voxels, in all inputs of a run together, from which a GPU is faster than the CPU threads, including the start of the GPU.
/// Nothing if the CPU threads are always faster. Reading and writing files takes the same time with both. The constants are measurements:
/// lab/notebook/gpu-or-cpu.md.
/// @param threads number of CPU threads
std::optional<std::int64_t> least_voxels_for_gpu(int threads);

/// Chooses the algorithm and the device. A device that the user names is never replaced by another device.
/// @param threads number of CPU threads
/// @param voxels returns the number of voxels of all inputs; called only if the choice depends on it
/// @throw Error no_device if a device that the user names is absent; invalid_argument if the algorithm does not support the device, the
///     rule or several devices
Choice choose(const LabelOptions& options, int threads, const std::function<std::int64_t()>& voxels);

}  // namespace voxcc
