// The axes of a volume.
#pragma once
#include <cstdint>

namespace voxcc {

enum class Axis : std::uint8_t { x, y, z };

}  // namespace voxcc
