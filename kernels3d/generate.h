// Test volumes of zeros and ones, the same on every machine: integer arithmetic and std::mt19937_64 only.
#pragma once
#include "kernels3d/connectivity.h"

#include <memory>
#include <optional>
#include <span>

namespace voxcc {

enum class TestVolumeKind { hilbert, random, blobs, checkerboard, solid, spiral };

/// What to make; members that a kind does not name are not looked at.
struct TestVolumeRecipe {
    TestVolumeKind kind = TestVolumeKind::solid;
    Extent extent;
    int order = 1;           // hilbert: 8^order points; the extent is a cube of at least 2^order
    double density = 0.5;    // random: of the blocks; blobs: share of the voxels
    int granularity = 1;     // random: edge of the blocks of equal voxels
    double scale = 8;        // blobs: standard deviation of the smoothing, in voxels
    std::uint64_t seed = 1;  // random, blobs
};

/// Hands out a volume row by row.
class TestVolume {
public:
    virtual ~TestVolume() = default;
    /// @param row nx voxels, each set to 0 or 1. Rows are asked for once each, in raster order.
    virtual void fill_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) = 0;
};

/// Memory: a slice for random, 4 bytes a voxel for blobs, next to nothing for the others.
/// @throw Error usage for a recipe that cannot be made
std::unique_ptr<TestVolume> make_test_volume(const TestVolumeRecipe& recipe);

/// How many components the volume has, where the kind alone tells.
std::optional<std::uint64_t> known_components(const TestVolumeRecipe& recipe, Connectivity connectivity);

/// Noise smoothed by three box filters along each axis (close to a Gaussian), the highest `density` of the voxels set. In blobs.cpp.
std::unique_ptr<TestVolume> make_blobs(const TestVolumeRecipe& recipe);

}  // namespace voxcc
