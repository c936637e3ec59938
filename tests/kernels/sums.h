// The expected sums of components.
#pragma once
#include <voxcc/measure.h>
#include "kernels/oracle.h"

namespace oracle {

/// The sums of each component, added voxel by voxel; label k has index k - 1.
/// The sums of components, and the axes that they wrap around.
struct ComponentSums : std::vector<voxcc::WideSums> {
    std::vector<std::array<bool, 3>> wraps = {};
};

/// The sums of unwrapped components.
inline ComponentSums sums_of(const Labels& labels, Shape s) {
    ComponentSums sums;
    sums.resize(labels.count);
    sums.wraps = labels.wraps;
    for (long i = 0; i < s.size(); ++i) {
        if (labels.of[i] == 0) continue;
        const auto [dx, dy, dz] = labels.shift.empty() ? std::array<long, 3>{} : labels.shift[i];
        const std::uint64_t x = i % s.nx + dx * s.nx, y = i / s.nx % s.ny + dy * s.ny, z = i / s.nx / s.ny + dz * s.nz;
        voxcc::WideSums& t = sums[labels.of[i] - 1];
        t.n += 1, t.x += x, t.y += y, t.z += z;
        t.xx += x * x, t.yy += y * y, t.zz += z * z, t.xy += x * y, t.xz += x * z, t.yz += y * z;
        t.x0 = std::min<std::uint32_t>(t.x0, x), t.x1 = std::max<std::uint32_t>(t.x1, x);
        t.y0 = std::min<std::uint32_t>(t.y0, y), t.y1 = std::max<std::uint32_t>(t.y1, y);
        t.z0 = std::min<std::uint32_t>(t.z0, z), t.z1 = std::max<std::uint32_t>(t.z1, z);
    }
    return sums;
}

inline bool equal(const voxcc::SumTable& table, const ComponentSums& sums) {
    if (table.size() != sums.size()) return false;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        if (!(table[k] == sums[k]) || table.voxels(k) != sums[k].n) return false;
        if (table.wraps(k).axes != (sums.wraps.empty() ? std::array<bool, 3>{} : sums.wraps[k])) return false;
    }
    return true;
}

}  // namespace oracle
