// Kinds of test volumes that have a source file of their own.
#pragma once
#include <voxcc/test_volumes.h>

namespace voxcc {

/// Noise smoothed by three box filters along each axis (close to a Gaussian), the highest `density` of the voxels set. In blobs.cpp.
std::unique_ptr<TestVolume> make_blobs(const TestVolumeRecipe& recipe);

/// In ridge.cpp, as is the number of components of a slice, which is the same for 4 and 8 neighbours.
std::unique_ptr<TestVolume> make_ridge(const TestVolumeRecipe& recipe);
std::uint64_t ridge_components(const TestVolumeRecipe& recipe);

}  // namespace voxcc
