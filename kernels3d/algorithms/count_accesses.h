// Counts the memory accesses of the published algorithms.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, table 3.
// Counted: accesses by the functors, as written in their source code, to voxels, labels and other arrays of the algorithm in the memory of
// the executor. Not counted: shared memory of a tile, property arrays, and the work of the executor itself (the list that select() makes,
// sorting, filling).
#pragma once
#include <voxcc/connectivity.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

struct PhaseAccesses {
    std::string phase;
    std::uint64_t reads, writes;              // accesses to one word, or to four bytes at once
    std::uint64_t atomics;                    // read-modify-write operations
    std::uint64_t bytes_read, bytes_written;  // total of reads, writes and atomics
};

/// Runs an algorithm in one thread, in a fixed order similar to the order of a GPU, and counts its accesses per phase.
/// Counts that depend on the order of events (steps through trees, passes) can differ on a device. In one thread, no lane shortens the
/// path that another lane follows. Inline compression therefore shows its additional writes here, but not its savings.
/// @param row the name of a published algorithm that supports the connectivity
/// @param connectivity must be a result of reduced()
/// @param voxels [z][y][x], 0 is background; the address must be a multiple of 4
/// @param labels [z][y][x], receives 1..K by first voxel, 0 for background
/// @return one element per phase, in the order of the first calls
/// @throw Error internal if no published algorithm has this name
std::vector<PhaseAccesses> count_accesses(std::string_view row, const Extent& extent, Connectivity connectivity, const std::uint8_t* voxels,
                                          std::uint32_t* labels);

}  // namespace voxcc
