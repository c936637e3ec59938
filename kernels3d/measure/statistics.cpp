#include <voxcc/statistics.h>

#include <cmath>

namespace voxcc {
namespace {

// Exact quotient of the sums to one rounding: 64 bits fit a long double's mantissa.
double mean(std::uint64_t sum, std::uint64_t n) { return double(static_cast<long double>(sum) / static_cast<long double>(n)); }

// (N * Sab - Sa * Sb) / N^2. The covariance does not depend on the origin, so the sums are moved to the corner of the bounding box
// first: then N * Sab fits 128 bits for every component of fewer than 2^64 / edge voxels, and the numerator is exact.
struct Centred {
    uint128 n, a, b, ab;
};
double covariance(std::uint64_t n, const Centred& c) {
    const int128 numerator = int128(c.n * c.ab - c.a * c.b);  // either product may pass 2^127, their difference is below 2^126
    const long double square = static_cast<long double>(n) * static_cast<long double>(n);
    return double(static_cast<long double>(numerator) / square);
}
double covariance(const WideSums& s, uint128 sum_ab, std::uint64_t sum_a, std::uint64_t sum_b, std::uint64_t a0, std::uint64_t b0) {
    // sum (a - a0)(b - b0) = Sab - a0 Sb - b0 Sa + N a0 b0
    const uint128 n = s.n;
    const uint128 ab = sum_ab - uint128(a0) * sum_b - uint128(b0) * sum_a + n * a0 * b0;
    return covariance(s.n, {n, sum_a - n * a0, sum_b - n * b0, ab});
}

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix symmetric(const std::array<double, 6>& c) { return {{{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}}}; }

// Jacobi rotations until the matrix is diagonal; @return eigenvalues, largest first, none negative.
std::array<double, 3> eigenvalues(Matrix m) {
    const double scale = std::abs(m[0][0]) + std::abs(m[1][1]) + std::abs(m[2][2]);
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                off = std::max(off, std::abs(m[p][q]));
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::hypot(t, 1.0), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double kp = m[k][p], kq = m[k][q];
                    m[k][p] = c * kp - s * kq, m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; ++k) {
                    const double pk = m[p][k], qk = m[q][k];
                    m[p][k] = c * pk - s * qk, m[q][k] = s * pk + c * qk;
                }
                m[p][q] = m[q][p] = 0;
            }
        if (off <= 1e-300 || off < scale * 1e-18) break;
    }
    std::array<double, 3> values{m[0][0], m[1][1], m[2][2]};
    for (double& v : values) v = std::max(v, 0.0);
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
}

// In how many directions a component extends: 3, a plate 2, a line 1, a voxel 0. Asked in index space, where no spacing can make an
// extended axis look thin: rounding leaves less than 1e-15 of the trace where there is nothing, and the thinnest that there can be, one
// voxel beside a line of 10^4, is 1e-11 of it.
std::size_t rank(const std::array<double, 3>& eigenvalues_ijk) {
    const double negligible = 2e-15 * (eigenvalues_ijk[0] + eigenvalues_ijk[1] + eigenvalues_ijk[2]);
    return std::size_t(std::count_if(eigenvalues_ijk.begin(), eigenvalues_ijk.end(), [&](double v) { return v > negligible; }));
}

void describe_world(Properties& p, const World& world) {
    const auto& a = world.affine;
    p.has_world = true;
    const double determinant = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    p.volume_mm3 = double(p.voxels) * std::abs(determinant);
    p.centroid_mm = world_position(world, p.centroid);
    const Matrix c = symmetric(p.covariance);
    int at = 0;
    for (int r = 0; r < 3; ++r)
        for (int q = r; q < 3; ++q) {
            double sum = 0;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) sum += a[r][i] * c[i][j] * a[q][j];
            p.covariance_mm2[at++] = r == q ? std::max(sum, 0.0) : sum;
        }
    const auto values = eigenvalues(symmetric(p.covariance_mm2));
    for (std::size_t i = 0; i < rank(eigenvalues(c)); ++i) p.axes_mm[i] = std::sqrt(values[i]);
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

bool touches_border(const WideSums& s, const Extent& extent) {
    const auto at_face = [](std::int64_t low, std::int64_t high, std::int64_t n) { return n > 1 && (low == 0 || high == n - 1); };
    return at_face(s.x0, s.x1, extent.nx) || at_face(s.y0, s.y1, extent.ny) || at_face(s.z0, s.z1, extent.nz);
}

Properties describe(const WideSums& s, const Extent& extent, const std::optional<World>& world) {
    Properties p;
    p.voxels = s.n;
    p.centroid = {mean(s.x, s.n), mean(s.y, s.n), mean(s.z, s.n)};
    p.box = {s.x0, s.x1, s.y0, s.y1, s.z0, s.z1};
    p.covariance = {covariance(s, s.xx, s.x, s.x, s.x0, s.x0), covariance(s, s.xy, s.x, s.y, s.x0, s.y0),
                    covariance(s, s.xz, s.x, s.z, s.x0, s.z0), covariance(s, s.yy, s.y, s.y, s.y0, s.y0),
                    covariance(s, s.yz, s.y, s.z, s.y0, s.z0), covariance(s, s.zz, s.z, s.z, s.z0, s.z0)};
    p.touches_border = touches_border(s, extent);
    if (world) describe_world(p, *world);
    return p;
}

}  // namespace voxcc
