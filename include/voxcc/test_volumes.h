// Test volumes of zeros and ones, the same on every machine: integer arithmetic and std::mt19937_64 only.
#pragma once
#include <voxcc/connectivity.h>

#include <memory>
#include <optional>
#include <span>

namespace voxcc {

enum class TestVolumeKind { hilbert, random, blobs, checkerboard, solid, spiral, ridge };

/// Families of images of ridge patterns. Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section IV-C;
/// the sixth family there are spirals, TestVolumeKind::spiral.
enum class RidgeFamily { leveling, scaling, subdivision, random_instancing, random_merging };

/// Members that a family does not name are not looked at. The image is a square of 2^n x 2^n voxels.
struct RidgeRecipe {
    RidgeFamily family = RidgeFamily::leveling;
    int level = 3;             // 1..n-1: passes that label equivalence takes
    double factor = 0.5;       // scaling: size of the pattern, 0..1 of the largest that fits
    int subdivisions = 2;      // subdivision, random_instancing, random_merging: 4^subdivisions patterns; 0..n-level-1, 15 at most
    double probability = 0.5;  // random_instancing: that a pattern is there; random_merging: that two adjacent ones are joined
};

/// What to make; members that a kind does not name are not looked at.
struct TestVolumeRecipe {
    TestVolumeKind kind = TestVolumeKind::solid;
    Extent extent;
    int order = 1;           // hilbert: 1..10, 8^order points; the extent is a cube of at least 2^order
    double density = 0.5;    // random: of the blocks; blobs: share of the voxels
    int granularity = 1;     // random: edge of the blocks of equal voxels
    double scale = 8;        // blobs: standard deviation of the smoothing, in voxels
    std::uint64_t seed = 1;  // random, blobs, ridge
    RidgeRecipe ridge = {};  // every slice is the same
};

/// Hands out a volume row by row.
class TestVolume {
public:
    virtual ~TestVolume() = default;
    /// @param row nx voxels, each set to 0 or 1. Rows are asked for once each, in raster order.
    virtual void fill_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) = 0;
};

/// Memory: a slice for random, 4 bytes a voxel for blobs, 8^order bytes for hilbert, at most a few rows for the others.
/// @throw Error invalid_argument for a recipe that cannot be made
std::unique_ptr<TestVolume> make_test_volume(const TestVolumeRecipe& recipe);

/// How many components the volume has, where that is known without labelling it: not for random, blobs and hilbert slice by slice.
/// Memory: 4 bytes a pattern for random merging, next to nothing for the others.
/// @throw Error invalid_argument for a recipe that cannot be made
std::optional<std::uint64_t> known_components(const TestVolumeRecipe& recipe, Connectivity connectivity);

}  // namespace voxcc
