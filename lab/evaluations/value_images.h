// Generated images and volumes with values: grey values, or colours of 3 or 4 channels.
#pragma once
#include "lab/evaluations/volumes.h"

namespace voxcc::bench {

/// How to generate a volume with values. All channels are in [1, 255], so that every voxel is foreground.
///   random   cubes of `edge` voxels; each cube has one of `values` random values
///   smooth   channels are interpolated linearly between random values that are `edge` voxels apart
/// One channel: values of type u8. Three or four: packed colours of type u32, as Rule::colour needs them.
struct ValueRecipe {
    enum class Kind : std::uint8_t { random, smooth } kind = Kind::random;
    int channels = 1;  // 1, 3 or 4
    int values = 1;    // only Kind::random; [1, 65536]. Some of the random values can be equal
    int edge = 1;      // [1, 1024]
    Extent extent;
    std::uint64_t seed = 1;
};

/// The volume of a recipe. The same recipe gives the same values on every machine.
/// @throw Error invalid_argument if a member is out of range
Volume value_volume(std::string name, std::string parameters, const ValueRecipe& recipe);

}  // namespace voxcc::bench
