// The axes of a volume.
#pragma once
#include <array>
#include <cstdint>

namespace voxcc {

enum class Axis : std::uint8_t { x, y, z };

/// Some of the axes x, y and z.
// {{true, false, false}}: only x
struct AxisSet {
    std::array<bool, 3> axes{};
    bool any() const { return axes[0] || axes[1] || axes[2]; }
    bool operator==(const AxisSet&) const = default;
};

}  // namespace voxcc
