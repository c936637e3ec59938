// What a published algorithm is given and what it leaves behind.
#pragma once
#include <voxcc/connectivity.h>
#include "kernels3d/exec/executor.h"
#include "kernels3d/exec/pointer.h"
#include "kernels3d/neighbourhood.h"

namespace voxcc::algorithms {

/// When the properties of the components are computed (properties.h): carried along by the voxels (early.h), or from the final labels
/// (late.h).
enum class Measure : std::uint8_t { none, early, late };

/// The values of voxels as 64-bit words, for rules of connection that look at them: foreground neighbours join if their values differ by
/// `most` at most. whole: unsigned numbers, distances as between the values. real: the bits of doubles, `most` as well.
struct Values {
    enum class Kind : std::uint8_t { none, whole, real } kind = Kind::none;  // none: foreground neighbours join, whatever their values
    exec::Pointer<const std::uint64_t> of = nullptr;                         // [z][y][x]
    std::uint64_t most = 0;
};

/// All pointers are into the memory of the executor that runs the algorithm.
struct Problem {
    exec::Grid size;                                     // voxels; at most 2^31 - 1 of them
    Connectivity connectivity = Connectivity::c26;       // as reduced() gives it
    exec::Pointer<const std::uint8_t> voxels = nullptr;  // [z][y][x], 0 is background
    exec::Pointer<std::uint32_t> labels = nullptr;       // [z][y][x], need not be initialised; afterwards 1..K by first voxel, 0 background
    Values values = {};                                  // only for rows whose rules look at them
    Measure measure = Measure::none;
};

/// Reads voxels at places that may lie outside the volume, where all is background.
struct VoxelView {
    exec::Grid size;
    exec::Pointer<const std::uint8_t> voxels;

    VOXCC_HD std::int64_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return (std::int64_t(z) * size.y + y) * size.x + x;
    }
    /// Unsigned coordinates: those below 0 have wrapped around and are past the end, too.
    VOXCC_HD bool foreground(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return x < size.x && y < size.y && z < size.z && voxels[at(x, y, z)] != 0;
    }
};

}  // namespace voxcc::algorithms
