#include <voxcc/measure.h>

#include "kernels3d/measure/eigen.h"

#include <cmath>
#include <limits>

namespace voxcc {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// The quotient sum / n. Both arguments are exact in a long double with a mantissa of 64 bits.
double mean(std::uint64_t sum, std::uint64_t n) { return double(static_cast<long double>(sum) / static_cast<long double>(n)); }

// The centroid along an axis in [0, period).
double mean_in_period(std::uint64_t sum, std::uint64_t n, std::int64_t period) {
    if (period == 0) return mean(sum, n);
    const uint128 of_period = uint128(n) * std::uint64_t(period);
    return mean(std::uint64_t(sum % of_period), n);
}

// (N * Sab - Sa * Sb) / N^2. The sums must be relative to the corner of the bounding box: then N * Sab fits 128 bits for every component
// of fewer than 2^64 / edge voxels, and the numerator is exact. The covariance does not depend on the origin.
double covariance(std::uint64_t n, uint128 ab, uint128 a, uint128 b) {
    const int128 numerator = int128(uint128(n) * ab - a * b);  // each product may exceed 2^127; their difference is less than 2^126
    const long double square = static_cast<long double>(n) * static_cast<long double>(n);
    return double(static_cast<long double>(numerator) / square);
}

// ii ij ik jj jk kk
std::array<double, 6> covariances(const WideSums& sums) {
    const auto m = sums.as<uint128>().shifted(-uint128(sums.x0), -uint128(sums.y0), -uint128(sums.z0));
    return {covariance(sums.n, m.xx, m.x, m.x), covariance(sums.n, m.xy, m.x, m.y), covariance(sums.n, m.xz, m.x, m.z),
            covariance(sums.n, m.yy, m.y, m.y), covariance(sums.n, m.yz, m.y, m.z), covariance(sums.n, m.zz, m.z, m.z)};
}

// The number of directions in which a component extends: 3, for a plate 2, for a line 1, for a voxel 0. It is computed in index space,
// because a spacing can make an extended axis look thin. Where a component does not extend, rounding leaves less than 1e-15 of the trace.
// The thinnest extended component, one voxel next to a line of 10^4 voxels, has 1e-11 of the trace.
std::size_t rank(const std::array<double, 3>& eigenvalues_ijk) {
    const double negligible = 2e-15 * (eigenvalues_ijk[0] + eigenvalues_ijk[1] + eigenvalues_ijk[2]);
    return std::size_t(std::count_if(eigenvalues_ijk.begin(), eigenvalues_ijk.end(), [&](double v) { return v > negligible; }));
}

// Removes the values in voxels that depend on axes around which the component reaches completely.
void remove_along(Properties& p, const AxisSet& wraps) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (wraps.axes[i]) p.centroid[i] = none;
        for (std::size_t j = i; j < 3; ++j, ++at)
            if (wraps.axes[i] || wraps.axes[j]) p.covariance[at] = none;
    }
}

void describe_world(Properties& p, const World& world) {
    const auto& a = world.affine;
    p.has_world = true;
    const double determinant = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    p.volume_mm3 = double(p.voxels) * std::abs(determinant);
    p.centroid_mm = world_position(world, p.centroid, p.wraps);
    const Matrix3 c = symmetric_matrix(p.covariance);
    int at = 0;
    for (int r = 0; r < 3; ++r)
        for (int q = r; q < 3; ++q) {
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    if (a[r][i] != 0 && a[q][j] != 0) sum += a[r][i] * c[i][j] * a[q][j];  // 0 * NaN is not 0
            p.covariance_mm2[at++] = r == q ? std::max(sum, 0.0) : sum;
        }
    if (p.wraps.any()) {
        p.axes_mm = {none, none, none};
        p.elongation = p.flatness = none;
        return;
    }
    const auto values = eigen(symmetric_matrix(p.covariance_mm2)).values;
    for (std::size_t i = 0; i < rank(eigen(c).values); ++i) p.axes_mm[i] = std::sqrt(values[i]);
    if (p.axes_mm[0] > 0) p.elongation = p.axes_mm[1] / p.axes_mm[0], p.flatness = p.axes_mm[2] / p.axes_mm[0];
}

}  // namespace

std::array<double, 3> world_position(const World& world, const std::array<double, 3>& index) {
    std::array<double, 3> position{};
    for (std::size_t r = 0; r < 3; ++r) {
        const auto& row = world.affine[r];
        position[r] = row[0] * index[0] + row[1] * index[1] + row[2] * index[2] + row[3];
    }
    return position;
}

std::array<double, 3> world_position(const World& world, std::array<double, 3> index, const AxisSet& missing) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (missing.axes[axis]) index[axis] = 0;
    std::array<double, 3> position = world_position(world, index);
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (missing.axes[axis] && world.affine[r][axis] != 0) position[r] = none;
    return position;
}

double in_period(double position, std::int64_t period) {
    if (period == 0) return position;
    const double n = double(period), inside = position - n * std::floor(position / n);
    return inside < n ? inside : 0;
}

bool touches_border(const WideSums& s, const Extent& extent) {
    const auto at_face = [](std::int64_t low, std::int64_t high, std::int64_t n) { return n > 1 && (low == 0 || high == n - 1); };
    return at_face(s.x0, s.x1, extent.nx) || at_face(s.y0, s.y1, extent.ny) || at_face(s.z0, s.z1, extent.nz);
}

Properties describe(const WideSums& s, const Extent& extent, const std::optional<World>& world, const Wrapping& wrapping) {
    Properties p;
    const auto& period = wrapping.period;
    p.voxels = s.n;
    p.centroid = {mean_in_period(s.x, s.n, period[0]), mean_in_period(s.y, s.n, period[1]), mean_in_period(s.z, s.n, period[2])};
    p.box = {s.x0, s.x1, s.y0, s.y1, s.z0, s.z1};
    p.covariance = covariances(s);
    p.touches_border = touches_border(s, extent);
    p.wraps = wrapping.wraps;
    remove_along(p, p.wraps);
    if (world) describe_world(p, *world);
    return p;
}

}  // namespace voxcc
