// The input and output of a published algorithm, and the neighbour rules that all algorithms share.
#pragma once
#include <voxcc/connectivity.h>
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/exec/executor.h"
#include "kernels3d/exec/phases.h"
#include "kernels3d/exec/pointer.h"

namespace voxcc::algorithms {

using voxcc::Measure;  // early: early.h; late: late.h; late_per_voxel: late_per_voxel.h; analysis: ha.h
using voxcc::Relabel;  // number.h

/// The voxel values, as 64-bit words, for rules that connect by value: two foreground neighbours join if their difference is at most
/// `most`.
struct Values {
    enum class Kind : std::uint8_t {
        none,     // `of` and `most` are not used; all foreground neighbours join
        integer,  // words are unsigned integers, and so is `most`
        real,     // words are the bits of doubles, and so is `most`
        colour    // words have four channels of 16 bits. `most` is an integer; the difference is the sum of the channels' differences
    } kind = Kind::none;
    exec::Pointer<const std::uint64_t> of = nullptr;  // [z][y][x]
    std::uint64_t most = 0;                           // largest difference that joins, inclusive
};

/// One labelling task. All pointers must point into the memory of the executor that runs the algorithm.
struct Problem {
    exec::Grid size;                                     // in voxels; must hold at most 2^31 - 1 voxels
    Connectivity connectivity = Connectivity::c26;       // must be a result of reduced()
    exec::Pointer<const std::uint8_t> voxels = nullptr;  // [z][y][x], 0 is background
    exec::Pointer<std::uint32_t> labels = nullptr;       // [z][y][x], output: 1..K by first voxel, 0 is background. With
                                                         // Measure::analysis, working memory that holds no labels at the end
    Values values = {};                                  // only for algorithms with rules that compare values
    Measure measure = Measure::none;
    Relabel relabel = Relabel::marks;  // how number_voxels() numbers the components; algorithms on blocks do not use it
};

/// Reads voxels at any index. Voxels outside the volume are background.
struct VoxelView {
    exec::Grid size;
    exec::Pointer<const std::uint8_t> voxels;

    VOXCC_HD std::int64_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return (std::int64_t(z) * size.y + y) * size.x + x;
    }
    /// Whether the voxel is inside the volume and foreground. A coordinate of -1, converted to unsigned, is also outside.
    VOXCC_HD bool foreground(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return x < size.x && y < size.y && z < size.z && voxels[at(x, y, z)] != 0;
    }
};

}  // namespace voxcc::algorithms
