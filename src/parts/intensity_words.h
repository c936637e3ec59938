// Sums of intensities as 64-bit words, as the files of parts store them.
//
//   per component: n; if it is above 0 also x, y, z, the bits of min and max, and the voxels of the extremes (3 words)
//   then of integers of up to 32 bits: v, vv, vx, vy, vz (2 words each), cubes, fourths (3)
//   and of others: the number of units, and per unit: unit, v (2), vv, vx, vy, vz (3), cubes (4), fourths (5)
#pragma once
#include <voxcc/intensity.h>

namespace voxcc::parts {

/// @param components their number, which may be larger than the number of components with sums
std::vector<std::uint64_t> words_of_intensities(const IntensitySums& sums, std::uint64_t components);

/// The most words that these components can have.
std::uint64_t most_intensity_words(std::uint64_t components, std::uint64_t voxels);

/// Reads the words of all components of an image. @throw Error corrupt_file with this subject if they cannot be sums of intensities
IntensitySums intensities_of_words(ScalarType type, std::span<const std::uint64_t> words, std::uint64_t components,
                                   const std::string& subject);

}  // namespace voxcc::parts
