// The Voronoi areas of directions on the unit sphere.
//
// The cell of a direction u lies on the side of u of the planes half-way to all other directions. It is projected from the centre of the
// sphere to the plane that touches the sphere at u. There, each of the planes is a straight line, and the cell is a convex polygon. Its
// area on the sphere is the sum of the solid angles of its triangles.
//
// Source: Ohser and Muecklich, "Statistical Analysis of Microstructures in Materials Science", 2000 (weights by Voronoi areas).
#include <voxcc/shape.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace voxcc {
namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Vector scaled(const Vector& a, double factor) { return {a[0] * factor, a[1] * factor, a[2] * factor}; }
Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector unit(const Vector& a) { return scaled(a, 1 / std::hypot(a[0], a[1], a[2])); }

/// The part of a polygon where dot(point, normal) <= limit.
std::vector<Vector> clipped(const std::vector<Vector>& polygon, const Vector& normal, double limit) {
    std::vector<Vector> part;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vector &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const double at_a = limit - dot(a, normal), at_b = limit - dot(b, normal);
        if (at_a >= 0) part.push_back(a);
        if ((at_a >= 0) != (at_b >= 0)) part.push_back(sum(scaled(a, at_b / (at_b - at_a)), scaled(b, at_a / (at_a - at_b))));
    }
    return part;
}

/// The solid angle of a triangle of unit vectors. Source: van Oosterom and Strackee, 1983.
double solid_angle(const Vector& a, const Vector& b, const Vector& c) {
    return 2 * std::atan2(std::abs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// The cell of direction u[i], as the points of the touching plane relative to u[i].
/// @param far half the edge of a square around u[i] that contains the cell
std::vector<Vector> cell(const std::vector<Vector>& u, std::size_t i, double far) {
    const Vector side = unit(cross(u[i], std::abs(u[i][0]) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0})), other = cross(u[i], side);
    std::vector<Vector> polygon;
    for (const auto& [s, t] : {std::pair(far, far), {-far, far}, {-far, -far}, {far, -far}})
        polygon.push_back(sum(scaled(side, s), scaled(other, t)));
    for (std::size_t j = 0; j < u.size(); ++j)
        if (j != i) polygon = clipped(polygon, u[j], 1 - dot(u[i], u[j]));
    return polygon;
}

/// The area of the cell of direction u[i] on the unit sphere.
double cell_area(const std::vector<Vector>& u, std::size_t i) {
    // A corner is rounded by 1e-16 of the size of the square. So the cell is computed again from a square that just contains it.
    double far = 0;
    for (const Vector& corner : cell(u, i, 1e9)) far = std::max(far, std::sqrt(dot(corner, corner)));
    const std::vector<Vector> polygon = cell(u, i, 2 * far);
    double area = 0;
    for (std::size_t n = 0; n < polygon.size(); ++n)
        area += solid_angle(u[i], unit(sum(u[i], polygon[n])), unit(sum(u[i], polygon[(n + 1) % polygon.size()])));
    return area;
}

/// The columns of the affine.
std::array<Vector, 3> steps(const World& world) {
    std::array<Vector, 3> columns{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) columns[c][r] = world.affine[r][c];
    return columns;
}

std::array<double, 13> weights_in_plane(const World& world) {
    constexpr std::array<std::size_t, 4> in_plane{0, 1, 3, 4};
    const auto columns = steps(world);
    const Vector x = unit(columns[0]), y = unit(sum(columns[1], scaled(x, -dot(columns[1], x))));
    std::array<double, 4> angle{};  // of the lines, in [0, pi)
    for (std::size_t n = 0; n < 4; ++n) {
        const auto& d = shape_directions[in_plane[n]];
        const Vector step = sum(scaled(columns[0], d[0]), scaled(columns[1], d[1]));
        angle[n] = std::atan2(dot(step, y), dot(step, x));
        if (angle[n] < 0) angle[n] += std::numbers::pi;
    }
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::ranges::sort(order, {}, [&](std::size_t n) { return angle[n]; });
    std::array<double, 13> weights{};
    for (std::size_t n = 0; n < 4; ++n) {
        const double before = angle[order[(n + 3) % 4]] - (n == 0 ? std::numbers::pi : 0);
        const double after = angle[order[(n + 1) % 4]] + (n == 3 ? std::numbers::pi : 0);
        weights[in_plane[order[n]]] = (after - before) / (2 * std::numbers::pi);
    }
    return weights;
}

}  // namespace

std::array<double, 13> direction_weights(const World& world, Space space) {
    if (space == Space::plane) return weights_in_plane(world);
    const auto columns = steps(world);
    std::vector<Vector> u;
    for (const auto& d : shape_directions) {
        const Vector step = unit(sum(sum(scaled(columns[0], d[0]), scaled(columns[1], d[1])), scaled(columns[2], d[2])));
        u.push_back(step), u.push_back(scaled(step, -1));
    }
    std::array<double, 13> weights{};
    for (std::size_t d = 0; d < 13; ++d) weights[d] = cell_area(u, 2 * d) / (2 * std::numbers::pi);
    return weights;
}

}  // namespace voxcc
