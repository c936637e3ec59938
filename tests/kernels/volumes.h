// Volumes that the tests of every algorithm share.
#pragma once
#include "kernels/oracle.h"

#include <cstdint>
#include <random>
#include <vector>

namespace volumes {

/// Random blocks of granularity^3 voxels, `density` of 100 of them foreground, with values 1..values.
inline std::vector<std::uint8_t> random(oracle::Shape s, int density, int granularity, int values, std::mt19937_64& rng) {
    const long bx = (s.nx + granularity - 1) / granularity, by = (s.ny + granularity - 1) / granularity,
               bz = (s.nz + granularity - 1) / granularity;
    std::vector<std::uint8_t> blocks(bx * by * bz), v(s.size());
    for (auto& b : blocks) b = long(rng() % 100) < density ? std::uint8_t(1 + rng() % values) : 0;
    for (long z = 0, i = 0; z < s.nz; ++z)
        for (long y = 0; y < s.ny; ++y)
            for (long x = 0; x < s.nx; ++x, ++i) v[i] = blocks[(z / granularity * by + y / granularity) * bx + x / granularity];
    return v;
}

}  // namespace volumes
