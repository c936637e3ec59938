// Test volumes of zeros and ones. A recipe gives the same voxels on every machine.
#pragma once
#include <voxcc/connectivity.h>

#include <memory>
#include <optional>
#include <span>

namespace voxcc {

enum class TestVolumeKind { hilbert, random, blobs, checkerboard, solid, spiral, ridge, zigzag_spiral, dry_earth };

/// The pseudo-random number generator of a random volume: the Mersenne twister MT19937, its version for 64 bits, or SplitMix64. Any draw of
/// SplitMix64 can be computed without the draws before it.
/// Source of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
enum class Generator { mt19937, mt19937_64, splitmix64 };

/// Families of images of ridge patterns. Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section IV-C.
/// The sixth family of the paper is TestVolumeKind::spiral.
enum class RidgeFamily { leveling, scaling, subdivision, random_instancing, random_merging };

/// An image of ridge patterns. It must have 2^n x 2^n voxels, n at least 2. A comment that starts with families means that only these
/// families use the member.
struct RidgeRecipe {
    RidgeFamily family = RidgeFamily::leveling;
    int level = 3;         // number of passes that label equivalence takes, in [1, n - 1]
    double factor = 0.5;   // scaling: size of the pattern relative to its full size, in [0, 1]
    int subdivisions = 2;  // subdivision, random_*: the image has 4^subdivisions cells; in [0, n - level - 1], at most 15
    /// In [0, 1]. random_instancing: probability of a pattern in a cell. random_merging: probability of a line between adjacent patterns.
    double probability = 0.5;
};

/// Description of a test volume. A comment that starts with kinds means that only these kinds use the member.
struct TestVolumeRecipe {
    TestVolumeKind kind = TestVolumeKind::solid;
    Extent extent = {};
    int order = 1;           // hilbert: in [1, 10]; 8^order points. The extent must be a cube with an edge of at least 2^order voxels
    double density = 0.5;    // random: probability that a block is foreground; blobs: share of foreground voxels; in [0, 1]
    int granularity = 1;     // random, checkerboard: edge of the blocks of equal voxels, in voxels, in [1, 1024]
    double scale = 8;        // blobs: standard deviation of the smoothing, in voxels
    std::int64_t tile = 0;   // blobs: the volume repeats after this number of voxels along each axis; 0: it does not repeat
    std::uint64_t seed = 1;  // random, blobs, ridge, dry_earth; mt19937 uses the low 32 bits
    RidgeRecipe ridge = {};  // ridge: all slices are equal, as in zigzag_spiral and dry_earth
    Generator generator = Generator::mt19937_64;  // random
};

/// Makes a volume in pieces. Not thread-safe.
class TestVolume {
public:
    virtual ~TestVolume() = default;
    /// Sets the voxels [x, x + part.size()) of row (y, z) to 0 or 1. Calls may be made in any order. Raster order is the fastest for random
    /// with a Mersenne twister and for ridge: a step back repeats all draws from the first.
    virtual void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) = 0;
    /// Sets the nx voxels of row (y, z).
    void fill_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) { fill(0, y, z, row); }
};

/// Checks a recipe without making the volume.
/// @throw Error invalid_argument if the recipe is not valid
void check_test_volume(const TestVolumeRecipe& recipe);

/// The memory that a test volume needs, in bytes, without a few rows: 1 byte per block of a layer for random with a Mersenne twister; 2
/// bytes per voxel of a slice for dry_earth; 4 bytes per voxel for blobs, or per voxel of the tile; 8^order bytes for hilbert; 0 for
/// others.
std::int64_t test_volume_bytes(const TestVolumeRecipe& recipe);

/// Prepares a test volume. Memory: test_volume_bytes().
/// @throw Error invalid_argument if the recipe is not valid
// {.kind = TestVolumeKind::checkerboard, .extent = {3, 2, 1}}  ->  rows [1 0 1], [0 1 0]
std::unique_ptr<TestVolume> make_test_volume(const TestVolumeRecipe& recipe);

/// The number of components, if it is known without labelling. Empty for random, blobs and dry_earth, and for hilbert with c4 or c8 in
/// several slices. Memory: 4 bytes per pattern for random_merging, at most a row of patterns for the others.
/// @param recipe must be valid for make_test_volume()
/// @throw Error invalid_argument if a ridge recipe is not valid
// solid, {4, 4, 3}: c26 -> 1, c8 -> 3
std::optional<std::uint64_t> known_components(const TestVolumeRecipe& recipe, Connectivity connectivity);

}  // namespace voxcc
