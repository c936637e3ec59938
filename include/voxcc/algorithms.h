// The table of the labelling algorithms of this process: block-runs, and the published algorithms if a program has added them (lab.h).
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/device.h>
#include <voxcc/phases.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace voxcc {

namespace exec {
class CpuExecutor;
class CudaExecutor;
}  // namespace exec
namespace block_runs {
class Labelling;
class RowSource;
struct Request;
}  // namespace block_runs
class ThreadPool;
namespace algorithms {
struct Problem;
struct Result;
}  // namespace algorithms

/// An algorithm. The views refer to static memory.
// {"uf-ic", {c6, c18, c26, c4, c8}, {foreground}, "Oliveira, Lotufo, A study on ...", "ours: uf with the inline compression of ..."}
struct Algorithm {
    std::string_view name;
    std::span<const Connectivity> connectivities;
    std::span<const Rule> rules;
    std::string_view source;  // authors, title and year of the publication; "voxcc" for block-runs
    /// The section of a paper that describes the algorithm, or "ours: " and the difference from a published algorithm.
    std::string_view origin;
    /// Functions that label voxels in the memory of the device; null if the build or the algorithm does not support the device. block-runs:
    /// run_cpu is null, because block_runs::label() has another interface.
    algorithms::Result (*run_cpu)(exec::CpuExecutor&, const algorithms::Problem&) = nullptr;
    algorithms::Result (*run_cuda)(exec::CudaExecutor&, const algorithms::Problem&) = nullptr;
    /// Labels the rows of a source on one or more CUDA devices. Only block-runs in a build with CUDA has this function.
    std::unique_ptr<block_runs::Labelling> (*label_cuda)(const block_runs::Request&, block_runs::RowSource&, ThreadPool&,
                                                         std::span<const int>) = nullptr;
    /// Labels the rows of a source. Published algorithms have this function, and block-runs does not.
    std::unique_ptr<block_runs::Labelling> (*label)(const Algorithm&, const Device&, const block_runs::Request&, block_runs::RowSource&,
                                                    ThreadPool&) = nullptr;
    std::span<const Relabel> relabels = {};  // how its roots become labels; empty for block-runs
    bool computes_early = false;             // whether the algorithm can compute properties during labelling (lab/algorithms/early.h)
    bool analyses = false;                   // whether the algorithm can compute sums in place of labels (Measure::analysis)
    bool walks_paths = false;  // whether the number of passes grows with the number of voxels or turns of a path in a component

    bool is_published() const { return run_cpu != nullptr; }
    bool runs_on(Device::Kind device) const { return device == Device::Kind::cpu || run_cuda || label_cuda; }
};

/// Block-runs, the default, and the algorithms that have been added, in this order. They exist until the program ends. Thread-safe.
std::span<const Algorithm> all_algorithms();

/// Adds algorithms to all_algorithms(), except those whose names it contains. Thread-safe.
/// @throw Error internal if the table is full
void add_algorithms(std::span<const Algorithm> algorithms);

/// @return the algorithm with this name; null if no algorithm has it
const Algorithm* find_algorithm(std::string_view name);

/// Whether the algorithm supports the connectivity, on every device. For a volume of one slice, pass reduced(connectivity, extent).
bool supports(const Algorithm& algorithm, Connectivity connectivity);
/// Whether the algorithm supports the rule.
bool supports(const Algorithm& algorithm, Rule rule);
/// Whether the algorithm can replace the roots of its trees by labels in this way. Relabel::marks, the default, is supported by all.
bool supports(const Algorithm& algorithm, Relabel relabel);
/// Whether the algorithm can compute sums in this way.
bool supports(const Algorithm& algorithm, Measure measure);

/// Checks that the algorithm supports the rule.
/// @throw Error unsupported_by_algorithm if it does not; choices() lists the algorithms that support the rule on this kind of device
void require_rule(const Algorithm& algorithm, Rule rule, Device::Kind device);

/// How a volume is divided along z into slabs that are processed one after the other.
struct StreamSlabs {
    std::int64_t slices = 0;         // slices per slab; 0, or at least the slices of the volume: one slab
    std::string subject = "volume";  // name of the volume in error messages
};

/// Same as block_runs::label(), or block_runs::label_streamed() for several slabs, with any algorithm on any device. Published algorithms
/// need at least 5 bytes of host memory per voxel: 1 for the voxel and 4 for the label. Rules that compare values need 8 bytes per voxel
/// more.
/// @param device must be a result of require_device()
/// @param pool must outlive the labelling
/// @param slabs several slabs are supported only by block-runs on the CPU
/// @throw the exceptions of block_runs::label(); Error unsupported_by_algorithm or unsupported_by_device if the algorithm does not support
///     the request (rule, connectivity, periodic axes, more than 2^31 - 1 voxels, several devices); no_device; out_of_memory;
///     device_memory
std::unique_ptr<block_runs::Labelling> label(const Algorithm& algorithm, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool, const StreamSlabs& slabs = {});

/// The devices on which the algorithm runs in this build: "cpu" or "cpu cuda".
std::string devices_of(const Algorithm& algorithm);

}  // namespace voxcc
