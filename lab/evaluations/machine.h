// Runs an algorithm on a volume and measures the time.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/api/measurements.h"
#include "lab/evaluations/records.h"

namespace voxcc::bench {

/// The result of one run. Times are in milliseconds.
struct Run {
    double labelling = 0;       // from the first phase to the last
    double all = 0;             // with allocation of voxels (on a GPU) and labels, and copies from and to the host; 0: not known
    std::vector<Phase> phases;  // phases of the algorithm, and "allocation", "upload", "download"
    std::uint64_t components = 0;
    /// Peak bytes of the algorithm's arrays, and of its property arrays alone. 0 for block-runs on the CPU, which does not report them.
    std::size_t bytes = 0, property_bytes = 0;
    std::size_t allocated = 0;  // sum of the sizes of all allocations of these arrays
};

/// A volume in host memory, and how its voxels are connected.
struct Input {
    Extent extent;
    Connectivity connectivity;
    std::vector<std::uint8_t> voxels;  // [z][y][x], 0 is background
    ComparedValues values = {};        // with another rule than Rule::foreground, block-runs cannot run
};

/// Labels volumes on a device and measures the time.
///   CPU              all times are wall-clock times
///   one CUDA device  `labelling` and copies are device times, measured with events; allocation is host time
///   several devices  `labelling` and its phases are host times; the phase "on one alone" is the complete run on the first device,
///                    if its memory is large enough
/// Copies use pageable host memory.
class Machine {
public:
    /// @param threads CPU threads; 0: all
    /// @param settings of all runs; the times of runs on the CPU have all phases
    /// @throw Error no_device
    Machine(const Device& device, int threads, const RunSettings& settings);

    /// Whether the algorithm has a version for the device (or devices).
    bool runs(const Algorithm& algorithm) const;
    /// Runs an algorithm once.
    /// @throw what measure_run() and measure_cuda_slabs() throw
    Run run(const Algorithm& algorithm, const Input& input, Measure measure);
    /// Times the ceiling: one pass that reads one u8 and writes one u32 per voxel. @return milliseconds
    double ceiling(const std::vector<std::uint8_t>& voxels);

    /// The columns that all lines of the table have; `version` stays empty.
    Origin origin() const;
    int threads() const { return pool_.size(); }

private:
    Run run_on_cpu(const Algorithm& algorithm, const Input& input, Measure measure);
    /// Calls f(begin, end) for pieces of [0, n) on all threads, one piece per thread.
    template <class F>
    void in_pieces(std::int64_t n, const F& f);

    Device device_;
    RunSettings settings_;
    ThreadPool pool_;
    std::vector<std::uint32_t> labels_;  // in host memory: labels of CUDA runs, output of the ceiling
};

}  // namespace voxcc::bench
