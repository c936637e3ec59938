// Volumes that the tests of every algorithm share.
#pragma once
#include "kernels/oracle.h"
#include "kernels3d/generate.h"

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

/// The whole volume of a recipe. What it leaves unset would be 7.
inline std::vector<std::uint8_t> made(const voxcc::TestVolumeRecipe& recipe) {
    const voxcc::Extent& e = recipe.extent;
    std::vector<std::uint8_t> v(std::size_t(e.voxels()), 7);
    const auto volume = voxcc::make_test_volume(recipe);
    for (std::int64_t row = 0; row < e.rows(); ++row)
        volume->fill_row(row % e.ny, row / e.ny, std::span(v).subspan(std::size_t(row * e.nx), std::size_t(e.nx)));
    return v;
}

}  // namespace volumes
