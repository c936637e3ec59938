// One run of an algorithm, timed.
#pragma once
#include "bench/evaluations/records.h"
#include "kernels3d/label.h"

namespace voxcc::bench {

/// Milliseconds.
struct Run {
    double labelling = 0;             // from the first phase to the last
    double all = 0;                   // with allocation of voxels (on a GPU) and labels, and copies from and to the host; 0: not known
    std::vector<exec::Phase> phases;  // the algorithm's; "allocation", "upload", "download"
    std::uint64_t components = 0;
    std::size_t bytes = 0, property_bytes = 0;  // peaks of the algorithm's own arrays; 0 for block-runs on the CPU, which does not say
};

/// A device on which volumes are labelled. CPU times are wall clock; on CUDA `labelling` and copies are device time by events, allocation
/// is the host's time; on several devices `labelling` is the host's time, and so are its phases, of which "on one alone" is the whole on
/// the first device. Copies are of pageable host memory.
class Machine {
public:
    /// @param threads of the CPU; 0: all
    /// @param timing each: runs tell their phases
    /// @throw Error no_device
    Machine(const Device& device, int threads, exec::Timing timing);

    bool runs(const AlgorithmRow& row) const;
    /// @param voxels [z][y][x]
    /// @throw as run_published, and as exec::time_cuda_slabs
    Run run(const AlgorithmRow& row, const Extent& extent, Connectivity connectivity, const std::vector<std::uint8_t>& voxels,
            algorithms::Measure measure);
    /// The ceiling: one pass that reads as many u8 as there are voxels and writes a u32 for each. @return milliseconds
    double ceiling(const std::vector<std::uint8_t>& voxels);

    /// All columns but the version.
    Origin origin() const;
    int threads() const { return pool_.size(); }

private:
    Run run_on_cpu(const AlgorithmRow& row, const Extent& extent, Connectivity connectivity, const std::vector<std::uint8_t>& voxels,
                   algorithms::Measure measure);
    /// Calls f(begin, end) for pieces of 0..n-1 on all threads.
    template <class F>
    void in_pieces(std::int64_t n, const F& f);

    Device device_;
    exec::Timing timing_;
    ThreadPool pool_;
    std::vector<std::uint32_t> labels_;  // on the host, of a device's runs and of the ceiling
};

}  // namespace voxcc::bench
