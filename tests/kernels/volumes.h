// Volumes that the tests of every algorithm share.
#pragma once
#include <voxcc/source.h>
#include "kernels/oracle.h"

#include <cstdint>
#include <random>
#include <vector>

namespace volumes {

/// Random blocks of granularity^3 voxels: `density` percent of them are foreground, with values 1..values.
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

/// The complete volume of a recipe. Voxels that the generator does not write are 7.
inline std::vector<std::uint8_t> made(const voxcc::TestVolumeRecipe& recipe) {
    const voxcc::Extent& e = recipe.extent;
    std::vector<std::uint8_t> v(std::size_t(e.voxels()), 7);
    const auto volume = voxcc::make_test_volume(recipe);
    for (std::int64_t row = 0; row < e.rows(); ++row)
        volume->fill_row(row % e.ny, row / e.ny, std::span(v).subspan(std::size_t(row * e.nx), std::size_t(e.nx)));
    return v;
}

/// Volumes of 3x3x2 voxels, side by side, with one voxel of background between them. There are 32x32x4 cells of 4x4x3 voxels; the voxels of
/// cell n are the bits of first + n. There is space for a shift by one voxel along each axis.
namespace patterns {
constexpr std::uint32_t count = 32 * 32 * 4;
constexpr oracle::Shape shape{32 * 4 + 1, 32 * 4 + 1, 4 * 3 + 1};
constexpr long at(long x, long y, long z) { return (z * shape.ny + y) * shape.nx + x; }

inline std::vector<std::uint8_t> from(std::uint32_t first) {
    std::vector<std::uint8_t> v(shape.size());
    for (std::uint32_t n = 0; n < count; ++n) {
        const long corner = at(n % 32 * 4, n / 32 % 32 * 4, n / 1024 * 3);
        for (int i = 0; i < 18; ++i) v[corner + at(i % 3, i / 3 % 3, i / 9)] = (first + n) >> i & 1;
    }
    return v;
}
}  // namespace patterns

/// Moves all voxels by `by` elements towards the end. Voxels that move past the end are dropped; the first `by` voxels become background.
template <class T>
std::vector<T> moved(const std::vector<T>& v, long by) {
    std::vector<T> w(v.size());
    std::copy(v.begin(), v.end() - by, w.begin() + by);
    return w;
}

}  // namespace volumes
