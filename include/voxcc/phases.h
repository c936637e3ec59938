// The phases of an algorithm and their times.
#pragma once
#include <cstdint>
#include <string>

namespace voxcc {

struct Phase {
    std::string name;
    double milliseconds = 0;  // sum of all calls
    int calls = 0;
};

/// The phases that are reported: each phase, only phases that are not inside another phase, or none. On a GPU, the events of each phase
/// take a noticeable part of a short run.
enum class Timing : std::uint8_t { each, outermost, none };

/// How the arrays of a run are allocated on a GPU. pool: freed memory is kept for the next array. fresh: every array is allocated with
/// cudaMalloc and released with cudaFree, as in the measurements of the papers.
enum class Allocation : std::uint8_t { pool, fresh };

/// When the sums over the voxels of each component are computed by a published algorithm.
enum class Measure : std::uint8_t {
    none,   // not at all
    early,  // during labelling, from moments stored per voxel
    late    // after labelling, from the final labels
};

}  // namespace voxcc
