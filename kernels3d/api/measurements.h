// Measurements of the labelling algorithms, for benchmarks: the times and the memory of a run, memory accesses, and the minimum memory
// traffic to compare with.
#pragma once
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/engine/gpu_slabs/limits.h"
#include "kernels3d/exec/phases.h"

#include <cstddef>
#include <vector>

namespace voxcc {

/// The stored values of all voxels, in the form in which published algorithms compare them, and the rule that compares them.
struct ComparedValues {
    Rule rule = Rule::foreground;
    Bound most = {};                   // Rule::gradient and Rule::colour: the largest difference that connects, inclusive
    ScalarType type = ScalarType::u8;  // of the stored values
    std::vector<std::uint64_t> words;  // [z][y][x]; empty for Rule::foreground
};

/// Converts stored values for a rule.
/// @param most >= 0; not used by Rule::foreground and Rule::equal_values
/// @param values [z][y][x] values of the type; not read for Rule::foreground
/// @throw Error invalid_argument if the rule is colour and the type is neither u32 nor u64
ComparedValues compare_values(Rule rule, const Bound& most, ScalarType type, std::span<const std::byte> values);

/// Runs an algorithm once: a published algorithm, or block-runs on one CUDA device.
/// @param algorithm must support the connectivity
/// @param voxels [z][y][x] in host memory, 0 is background
/// @param labels [z][y][x] in host memory, receives 1..K by first voxel; undefined with Measure::analysis
/// @param values must hold one word per voxel if their rule is not Rule::foreground; the algorithm must then be a published algorithm
/// @throw Error unsupported_by_algorithm if the algorithm does not compute properties in this way, if it does not support the rule or the
///              way of relabelling, or if second moments may not fit into 64 bits (second_moments_fit()); no_device; out_of_memory (host
///              or device)
MeasuredRun measure_run(const Algorithm& algorithm, const Device& device, const Extent& extent, Connectivity connectivity,
                        const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool, Measure measure,
                        const RunSettings& settings = {}, const ComparedValues& values = {});

using GpuSlabTimes = block_runs::gpu_slabs::Times;

/// Times block-runs on a volume that is already in GPU memory, in as few GPU slabs as possible, and at least one per device.
/// @param devices numbers of CUDA devices
/// @param voxels [z][y][x] in host memory, 0 is background
/// @throw Error no_device; device_memory if the devices cannot hold all voxels, labels and GPU slabs
GpuSlabTimes measure_cuda_slabs(std::span<const int> devices, const Extent& extent, Connectivity connectivity, const std::uint8_t* voxels);

/// Name of a CUDA device, and versions of its driver and runtime as "13.0".
struct CudaDevice {
    std::string name, driver, runtime;
};
/// @throw Error no_device
CudaDevice describe_cuda(int device);

/// Times the minimum memory traffic of labelling: reads one u8 and writes one u32 per voxel, in device memory that is already allocated.
/// @return device time in milliseconds, measured with events
/// @throw Error no_device; out_of_memory
double measure_cuda_stream(int device, std::int64_t voxels);

/// Runs of block-runs on a volume in the memory of a CUDA device, with the tables that are counted there.
struct TableTimes {
    /// Device times per phase, measured with events; one element per run. The phases "measure" (sums), "shape" and "contacts" count. All
    /// other phases label and paint, except "upload" and "download".
    std::vector<std::vector<Phase>> runs;
    std::uint64_t components = 0, pairs = 0;  // pairs of labels that touch
};

/// Labels a volume several times, paints u32 labels, and counts sums, shapes and contacts.
/// @param voxels nx * ny * nz values of the type in host memory; values that are not 0 are foreground
/// @param rule Rule::foreground or Rule::equal_values
/// @throw Error no_device; unsupported_by_device; device_memory
TableTimes measure_cuda_tables(int device, const void* voxels, ScalarType type, const Extent& extent, Connectivity connectivity, Rule rule,
                               int runs);

/// Has the minimum memory traffic of labelling in host memory: reads n voxels and writes one u32 per voxel past the caches.
/// @param voxels n values of the type, aligned as the type
/// @param labels aligned to 64 bytes
void stream_voxels(ScalarType type, const std::byte* voxels, std::int64_t n, std::uint32_t* labels);

/// Memory accesses of one phase of a published algorithm.
///
/// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, table 3.
/// Counted: accesses by the functors, as written in their source code, to voxels, labels and other arrays of the algorithm in the memory of
/// the executor. Not counted: shared memory of a tile, property arrays, and the work of the executor itself (the list that select() makes,
/// scanning, sorting, filling).
struct PhaseAccesses {
    std::string phase;
    std::uint64_t reads, writes;              // accesses to one word, or to four bytes at once
    std::uint64_t atomics;                    // read-modify-write operations
    std::uint64_t bytes_read, bytes_written;  // total of reads, writes and atomics
};

/// Runs an algorithm in one thread, in a fixed order similar to the order of a GPU, and counts its accesses per phase.
/// Counts that depend on the order of events (steps through trees, passes) can differ on a device. In phases that flatten trees, 2^18 lanes
/// take turns, one step each, so that a lane that stores an ancestor shortens the paths of lanes that follow. In other phases, one lane
/// runs after the other.
/// @param algorithm the name of a published algorithm that supports the connectivity
/// @param connectivity must be a result of reduced()
/// @param voxels [z][y][x], 0 is background; the address must be a multiple of 4
/// @param labels [z][y][x], receives 1..K by first voxel, 0 for background
/// @param relabel must be supported by the algorithm
/// @return one element per phase, in the order of the first calls
/// @throw Error internal if no published algorithm has this name
std::vector<PhaseAccesses> count_accesses(std::string_view algorithm, const Extent& extent, Connectivity connectivity,
                                          const std::uint8_t* voxels, std::uint32_t* labels, Relabel relabel = Relabel::marks);

}  // namespace voxcc
