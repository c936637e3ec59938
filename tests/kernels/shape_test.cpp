// Tests the properties of describe_shape() with bodies of known surface, Euler number and axes.
#include <voxcc/contacts.h>
#include <voxcc/measure.h>
#include <voxcc/shape.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

using namespace voxcc;

namespace {

constexpr double pi = std::numbers::pi;

World world_of(double x, double y, double z) { return {{{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}}}}; }

struct Body {
    Extent extent;
    std::vector<std::uint8_t> voxels;
};

Body body(const Extent& e, const std::function<bool(double, double, double)>& inside) {
    Body b{e, std::vector<std::uint8_t>(std::size_t(e.voxels()))};
    for (std::int64_t z = 0, i = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x, ++i) b.voxels[std::size_t(i)] = inside(double(x), double(y), double(z));
    return b;
}

/// The shape of all voxels of a body as one label.
ShapeProperties shape_of(const Body& b, const World& world, Connectivity connectivity = Connectivity::c26) {
    ThreadPool pool(1);
    ShapeOfRows shape({{.connectivity = connectivity}, b.extent, world}, pool);
    LabelSums sums(b.extent);
    const std::vector<std::uint32_t> numbers(b.voxels.begin(), b.voxels.end());
    const auto nx = std::size_t(b.extent.nx);
    for (std::size_t r = 0; r < std::size_t(b.extent.rows()); ++r) shape.add_row(std::span(numbers).subspan(r * nx, nx));
    for (std::size_t r = 0; r < std::size_t(b.extent.rows()); ++r)
        sums.add_row<std::uint32_t>(std::int64_t(r) % b.extent.ny, std::int64_t(r) / b.extent.ny, std::span(numbers).subspan(r * nx, nx));
    const ShapeTable table = shape.finish(1);
    const ShapeScale scale(world, space_of(reduced(connectivity, b.extent)));
    return describe_shape(describe(sums[0], b.extent, world), table.counts(0), table.feret_mm(0), scale);
}

Body ball(double radius, const std::array<double, 3>& spacing) {
    Extent e;
    std::int64_t* const n[3] = {&e.nx, &e.ny, &e.nz};
    std::array<double, 3> centre{};
    for (std::size_t a = 0; a < 3; ++a) *n[a] = 2 * std::int64_t(radius / spacing[a]) + 3, centre[a] = double(*n[a] / 2);
    return body(e, [&](double x, double y, double z) {
        const double u = (x - centre[0]) * spacing[0], v = (y - centre[1]) * spacing[1], w = (z - centre[2]) * spacing[2];
        return u * u + v * v + w * w <= radius * radius;
    });
}

}  // namespace

TEST_CASE("shape: the weights of the directions") {
    const auto cubic = direction_weights(world_of(1, 1, 1), Space::volume);
    CHECK(cubic[0] == doctest::Approx(2 * 0.04577789120476).epsilon(1e-10));  // MorphoLibJ, DIPlib: per direction of 26
    CHECK(cubic[3] == doctest::Approx(2 * 0.03698062787608).epsilon(1e-10));
    CHECK(cubic[9] == doctest::Approx(2 * 0.03519563978232).epsilon(1e-10));
    const auto square = direction_weights(world_of(3, 3, 1), Space::plane);
    for (const std::size_t d : {0, 1, 3, 4}) {
        CHECK(square[d] == doctest::Approx(0.25));
    }
    for (const World& w : {world_of(1, 1, 1), world_of(1, 1, 5), world_of(0.3, 2, 7), world_of(1, 1, 100),
                           World{{{{0.9, 0.2, -0.1, 5}, {-0.3, 1.5, 0.4, 0}, {0.1, -0.2, 2.5, -7}}}}})
        for (const Space space : {Space::plane, Space::volume}) {
            double sum = 0;
            for (const double weight : direction_weights(w, space)) {
                CHECK(weight >= 0);
                sum += weight;
            }
            CHECK(sum == doctest::Approx(1).epsilon(1e-12));
        }
}

TEST_CASE("shape: the weights are the shares of random directions") {
    const World w{{{{0.9, 0.2, -0.1, 5}, {-0.3, 1.5, 0.4, 0}, {0.1, -0.2, 2.5, -7}}}};
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::array<double, 13> share{};
    constexpr int draws = 400'000;
    for (int i = 0; i < draws; ++i) {
        const std::array<double, 3> p{normal(random), normal(random), normal(random)};
        std::size_t nearest = 0;
        double most = -1;
        for (std::size_t d = 0; d < 13; ++d) {
            double along = 0, squares = 0;
            for (std::size_t r = 0; r < 3; ++r) {
                double step = 0;
                for (std::size_t c = 0; c < 3; ++c) step += w.affine[r][c] * shape_directions[d][c];
                along += step * p[r], squares += step * step;
            }
            if (const double cosine = std::abs(along) / std::sqrt(squares); cosine > most) most = cosine, nearest = d;
        }
        share[nearest] += 1.0 / draws;
    }
    const auto weights = direction_weights(w, Space::volume);
    for (std::size_t d = 0; d < 13; ++d) {
        CHECK(std::abs(weights[d] - share[d]) < 5 * std::sqrt(weights[d] / draws));
    }
}

TEST_CASE("shape: balls have the surface, diameter and sphericity of balls") {
    for (const std::array<double, 3> spacing : {std::array{1.0, 1.0, 1.0}, {0.5, 0.5, 1.0}})
        for (const double radius : {5.0, 7.5, 10.0, 20.0, 33.0, 50.0, 100.0}) {
            const ShapeProperties p = shape_of(ball(radius, spacing), world_of(spacing[0], spacing[1], spacing[2]));
            CAPTURE(radius);
            CAPTURE(spacing[2]);
            CHECK(*p.surface_mm2 == doctest::Approx(4 * pi * radius * radius).epsilon(0.01));
            CHECK(*p.equivalent_diameter_mm == doctest::Approx(2 * radius).epsilon(0.01));
            CHECK(*p.sphericity == doctest::Approx(1).epsilon(0.015));
            CHECK(*p.feret_mm >= 2 * radius - 2 * spacing[2]);
            CHECK(*p.feret_mm <= 2 * radius + 2 * spacing[2]);
            CHECK(p.euler_number == 1);
            CHECK(*p.surface_faces_mm2 == doctest::Approx(6 * pi * radius * radius).epsilon(0.06));  // 3/2 of the surface
        }
}

TEST_CASE("shape: a box") {
    const Body b = body({12, 9, 8}, [](double x, double y, double z) { return x >= 1 && x <= 10 && y >= 2 && y <= 6 && z >= 3 && z <= 5; });
    const World w = world_of(1, 2, 3);
    const ShapeProperties p = shape_of(b, w);  // 10 x 5 x 3 voxels: 10 x 10 x 9 mm
    CHECK(*p.surface_faces_mm2 == 2 * (10 * 10 + 10 * 9 + 10 * 9));
    CHECK(*p.feret_mm == doctest::Approx(std::sqrt(100 + 100 + 81)).epsilon(1e-15));
    CHECK(p.extent == 1);
    CHECK(p.euler_number == 1);
    CHECK(*p.equivalent_diameter_mm == doctest::Approx(std::cbrt(6 * 900 / pi)));
    CHECK((*p.axes)[0] == std::array{1.0, 0.0, 0.0});  // standard deviations: 2.87, 2.83, 2.45
    CHECK((*p.axes)[1] == std::array{0.0, 1.0, 0.0});
    CHECK((*p.axes)[2] == std::array{0.0, 0.0, 1.0});
    CHECK((*p.axis_lengths_mm)[0] == doctest::Approx(4 * std::sqrt(99.0 / 12)));
    CHECK((*p.axis_lengths_mm)[1] == doctest::Approx(4 * 2 * std::sqrt(24.0 / 12)));
    CHECK((*p.axis_lengths_mm)[2] == doctest::Approx(4 * 3 * std::sqrt(8.0 / 12)));
}

TEST_CASE("shape: tori, shells and voxels that touch in an edge or a vertex") {
    const auto ring = [](double x, double y) { return std::hypot(x - 20, y - 20); };
    const Body torus = body({41, 41, 13}, [&](double x, double y, double z) { return std::hypot(ring(x, y) - 13, z - 6) <= 5; });
    const Body shell = body({31, 31, 31}, [](double x, double y, double z) {
        const double r = std::sqrt((x - 15) * (x - 15) + (y - 15) * (y - 15) + (z - 15) * (z - 15));
        return r <= 13 && r >= 9;
    });
    for (const Connectivity c : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
        const ShapeProperties of_torus = shape_of(torus, world_of(1, 1, 1), c), of_shell = shape_of(shell, world_of(1, 1, 1), c);
        CHECK(of_torus.euler_number == 0);
        CHECK(*of_torus.surface_mm2 == doctest::Approx(4 * pi * pi * 13 * 5).epsilon(0.025));
        CHECK(of_shell.euler_number == 2);
        CHECK(*of_shell.surface_mm2 == doctest::Approx(4 * pi * (13 * 13 + 9 * 9)).epsilon(0.02));
    }
    const auto euler = [](std::vector<std::uint8_t> voxels, const Extent& e, Connectivity c) {
        return shape_of({e, std::move(voxels)}, world_of(1, 1, 1), c).euler_number;
    };
    const std::vector<std::uint8_t> edge{1, 0, 0, 1, 0, 0, 0, 0}, vertex{1, 0, 0, 0, 0, 0, 0, 1};
    CHECK(euler(edge, {2, 2, 2}, Connectivity::c26) == 1);
    CHECK(euler(edge, {2, 2, 2}, Connectivity::c18) == 1);
    CHECK(euler(edge, {2, 2, 2}, Connectivity::c6) == 2);
    CHECK(euler(vertex, {2, 2, 2}, Connectivity::c26) == 1);
    CHECK(euler(vertex, {2, 2, 2}, Connectivity::c18) == 2);
    CHECK(euler(vertex, {2, 2, 2}, Connectivity::c6) == 2);
}

TEST_CASE("shape: an image of one slice has a perimeter") {
    const Body disc = body({61, 61, 1}, [](double x, double y, double) { return std::hypot(x - 30, y - 30) <= 25; });
    const ShapeProperties p = shape_of(disc, world_of(0.5, 0.5, 4), Connectivity::c8);
    CHECK(*p.surface_mm2 == doctest::Approx(2 * pi * 12.5).epsilon(0.015));
    CHECK(*p.surface_faces_mm2 == doctest::Approx(4 * 51 * 0.5));  // of a convex body: twice the width and the height
    CHECK(*p.equivalent_diameter_mm == doctest::Approx(25).epsilon(0.01));
    CHECK(*p.sphericity == doctest::Approx(1).epsilon(0.015));
    CHECK(*p.feret_mm < 26);
    CHECK(p.euler_number == 1);
}

TEST_CASE("shape: principal axes have the same directions in every layout of a file") {
    std::mt19937 random(2);
    const Body b = body({9, 8, 7}, [&](double x, double y, double z) { return random() % 3 == 0 || x + y < 8 - z; });
    const ShapeProperties p = shape_of(b, {{{{0.8, 0.1, 0.3, 0}, {0, 1.3, 0.2, 0}, {-0.4, 0, 2, 0}}}});
    // The same voxels with i and k exchanged, and j from the other end.
    const Body turned = body({7, 8, 9}, [&](double x, double y, double z) { return b.voxels[std::size_t((x * 8 + 7 - y) * 9 + z)] != 0; });
    const ShapeProperties q = shape_of(turned, {{{{0.3, -0.1, 0.8, 0}, {0.2, -1.3, 0, 0}, {2, 0, -0.4, 0}}}});
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t r = 0; r < 3; ++r) {
            CHECK((*p.axes)[n][r] == doctest::Approx((*q.axes)[n][r]).epsilon(1e-9));
        }
    CHECK(*p.surface_mm2 == doctest::Approx(*q.surface_mm2).epsilon(1e-12));
    CHECK(*p.feret_mm == doctest::Approx(*q.feret_mm).epsilon(1e-14));
}

TEST_CASE("shape: equal axes are the nearest axes of the world") {
    const auto full = [](double, double, double) { return true; };
    const double c = std::sqrt(0.5);
    const World turned{{{{c, -c, 0, 0}, {c, c, 0, 0}, {0, 0, 1, 0}}}};  // by 45 degrees about z
    const ShapeProperties cube = shape_of(body({3, 3, 3}, full), turned), voxel = shape_of(body({1, 1, 1}, full), turned);
    const std::array<std::array<double, 3>, 3> xyz{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    CHECK(*cube.axes == xyz);
    CHECK(*voxel.axes == xyz);
    CHECK(*voxel.axis_lengths_mm == std::array{0.0, 0.0, 0.0});
    // In a volume, the axis z is the nearest one. In a slice, the third axis is perpendicular to the slice.
    const auto below = [](double, double, double z) { return z == 0; };
    const ShapeProperties line = shape_of(body({5, 1, 2}, below), turned), line_of_slice = shape_of(body({5, 1, 1}, full), turned);
    for (std::size_t r = 0; r < 3; ++r) {
        const double along = std::array{c, c, 0.0}[r], across = std::array{c, -c, 0.0}[r], z = std::array{0.0, 0.0, 1.0}[r];
        CHECK((*line.axes)[0][r] == doctest::Approx(along));
        CHECK((*line.axes)[1][r] == doctest::Approx(z));
        CHECK((*line.axes)[2][r] == doctest::Approx(across));
        CHECK((*line_of_slice.axes)[0][r] == doctest::Approx(along));
        CHECK((*line_of_slice.axes)[1][r] == doctest::Approx(across));
        CHECK((*line_of_slice.axes)[2][r] == doctest::Approx(z));
    }
}

TEST_CASE("shape: without a world, only the values in voxels exist") {
    const Properties properties = describe(WideSums{{.n = 1}, 0, 0, 0}, {1, 1, 1}, std::nullopt);
    const ShapeProperties p = describe_shape(properties, {.pairs = {}, .euler = 1}, std::nullopt, ShapeScale(std::nullopt, Space::volume));
    CHECK(p.euler_number == 1);
    CHECK(p.extent == 1);
    CHECK(!p.surface_mm2);
    CHECK(!p.surface_faces_mm2);
    CHECK(!p.sphericity);
    CHECK(!p.equivalent_diameter_mm);
    CHECK(!p.feret_mm);
    CHECK(!p.axes);
    CHECK(!p.axis_lengths_mm);
}
