// How often the published algorithms read and write memory.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, table 3.
// Counted is what the algorithms' own functors do, as their text says, to voxels, the label volume and their other arrays in the executor's
// memory. Not counted: memory that the lanes of a tile share, arrays of properties, and the executor's own work: the list that select
// leaves, sorting, filling.
#pragma once
#include <voxcc/connectivity.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

struct PhaseAccesses {
    std::string phase;
    std::uint64_t reads, writes;              // of single words, or of four bytes at once
    std::uint64_t atomics;                    // operations that read and change a word
    std::uint64_t bytes_read, bytes_written;  // by all three
};

/// Runs the algorithm in one thread, in an order that is like a GPU's and the same every time. A device may take more or fewer steps
/// through trees, and passes, where these depend on the order of events. That what one lane stores shortens the way that another is on does
/// not happen here: of inline compression only the writes show.
/// @param row the name of a published algorithm that supports the connectivity, which is as reduced() gives it
/// @param voxels [z][y][x], 0 is background, at a multiple of 4
/// @param labels receives 1..K by first voxel
/// @return a row for each phase, in the order of their first calls
/// @throw Error internal if there is no such row
std::vector<PhaseAccesses> count_accesses(std::string_view row, const Extent& extent, Connectivity connectivity, const std::uint8_t* voxels,
                                          std::uint32_t* labels);

}  // namespace voxcc
