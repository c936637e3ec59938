// Publications that are the source of algorithms in several headers.
#pragma once
#include <string_view>

namespace voxcc::algorithms {

inline constexpr std::string_view allegretti =
    "Allegretti, Bolelli, Grana, Optimized block-based algorithms to label connected components on GPUs, 2019";
inline constexpr std::string_view kalentev =
    "Kalentev, Rai, Kemnitz, Schneider, Connected component labeling on a 2D grid using CUDA, 2011";

}  // namespace voxcc::algorithms
