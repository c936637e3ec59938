// Kinds of test volumes that have a source file of their own.
#pragma once
#include <voxcc/source.h>

namespace voxcc {

// The functions require a recipe that check_test_volume() accepts.

/// Noise smoothed by three box filters along each axis (close to a Gaussian), the highest `density` of the voxels set. In blobs.cpp.
std::unique_ptr<TestVolume> make_blobs(const TestVolumeRecipe& recipe);
/// The memory of the noise.
std::int64_t blob_bytes(const TestVolumeRecipe& recipe);

/// In ridge.cpp, as are the check of the recipe, and the number of components of a slice, which is the same for 4 and 8 neighbours.
/// @throw Error invalid_argument if the recipe is not valid
void check_ridge(const TestVolumeRecipe& recipe);
std::unique_ptr<TestVolume> make_ridge(const TestVolumeRecipe& recipe);
std::uint64_t ridge_components(const TestVolumeRecipe& recipe);

/// In dry_earth.cpp.
std::unique_ptr<TestVolume> make_dry_earth(const TestVolumeRecipe& recipe);

/// Whether a voxel is on the 3D spiral: a square spiral in every second slice. Single voxels join the slices, alternately at the inner and
/// at the outer end. The 3D spiral is therefore one path. In spirals.cpp.
bool in_spiral(std::int64_t x, std::int64_t y, std::int64_t z, const Extent& e);

constexpr std::int64_t zigzag_tooth = 8;  // length of a tooth of the zigzag spiral along its arm, in voxels; must be even
/// Whether a pixel is on the zigzag spiral. In spirals.cpp.
/// @param e must have at least zigzag_tooth voxels along x and y
bool in_zigzag_spiral(std::int64_t x, std::int64_t y, const Extent& e);

}  // namespace voxcc
