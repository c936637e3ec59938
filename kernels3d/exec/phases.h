// The phases of an algorithm and their times, and the choices for phases that most algorithms share.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

struct Phase {
    std::string name;
    double milliseconds = 0;  // sum of all calls
    int calls = 0;
    std::vector<double> each = {};  // milliseconds of each call, in order; empty if only the sum is known
};

/// The phases that are reported: each phase, only phases that are not inside another phase, or none. On a GPU, the events of each phase
/// take a noticeable part of a short run.
enum class Timing : std::uint8_t { each, outermost, none };

/// How the arrays of a run are allocated on a GPU. pool: freed memory is kept for the next array. fresh: every array is allocated with
/// cudaMalloc and released with cudaFree, as in the measurements of the papers.
enum class Allocation : std::uint8_t { pool, fresh };

/// When and how the sums over the voxels of each component are computed by a published algorithm.
enum class Measure : std::uint8_t {
    none,            // not at all
    early,           // during labelling, from moments stored per voxel
    late,            // after labelling, from the final labels
    late_per_voxel,  // after labelling, with atomic operations of every voxel, as in the papers
    analysis         // in place of labelling: sums without labels
};
inline constexpr std::array all_measures{Measure::none, Measure::early, Measure::late, Measure::late_per_voxel, Measure::analysis};

/// "none", "early", "late", "late-per-voxel", "analysis"
constexpr std::string_view name_of(Measure measure) {
    return std::array<std::string_view, 5>{"none", "early", "late", "late-per-voxel", "analysis"}[std::size_t(measure)];
}

/// How a published algorithm on voxels replaces the roots of its trees by the labels 1..K. Both ways give the same labels.
enum class Relabel : std::uint8_t {
    marks,  // by a list of the roots, without a table beside the label volume
    scan    // by an inclusive scan over one flag per voxel
};

/// How a run is measured, and the choices that do not change its labels.
struct RunSettings {
    Timing timing = Timing::each;
    Allocation allocation = Allocation::pool;  // of arrays of published algorithms on one CUDA device
    Relabel relabel = Relabel::marks;          // must be supported by the algorithm
    bool operator==(const RunSettings&) const = default;
};

/// One run of an algorithm on a volume in host memory.
struct MeasuredRun {
    std::uint32_t components = 0;
    /// Time per phase. The calls of a phase that is repeated until nothing changes are the passes of the algorithm. On CUDA, times are
    /// device times, measured with events. Additional phases on CUDA:
    ///   "algorithm"   from the first phase of the algorithm to the last. Before it, the device fills the labels, so that it does not wait
    ///                 for the host to issue the first phases
    ///   "upload"      copy from the host before the run
    ///   "download"    copy to the host after the run
    ///   "allocation"  by the host clock. Allocation::pool: allocation of voxels and labels. Allocation::fresh: allocation and release of
    ///                 labels and of the algorithm's arrays; allocation between phases is also part of "algorithm"
    std::vector<Phase> phases;
    std::size_t bytes = 0;           // peak bytes of the algorithm's arrays, with the property arrays, without voxels and labels
    std::size_t allocated = 0;       // sum of the sizes of all these arrays
    std::size_t property_bytes = 0;  // peak bytes of the property arrays alone
};

}  // namespace voxcc
