// Tests the properties that are computed from sums: centroid, covariance, axes, box and border contact.
#include <voxcc/measure.h>

#include <doctest/doctest.h>
#include <cmath>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

using Voxel = std::array<std::int64_t, 3>;

WideSums sums_of(const std::vector<Voxel>& voxels) {
    WideSums s;
    for (const auto& v : voxels) {
        const auto x = std::uint64_t(v[0]), y = std::uint64_t(v[1]), z = std::uint64_t(v[2]);
        WideSums one{{1, x, y, z, uint128(x) * x, uint128(y) * y, uint128(z) * z, uint128(x) * y, uint128(x) * z, uint128(y) * z}};
        one.x0 = one.x1 = std::uint32_t(x), one.y0 = one.y1 = std::uint32_t(y), one.z0 = one.z1 = std::uint32_t(z);
        s.add(one);
    }
    return s;
}

/// The sums of a solid box, as products of sums along the axes. The box can have too many voxels for a list.
WideSums sums_of_box(const Voxel& low, const Voxel& high) {
    std::array<std::uint64_t, 3> n{}, first{};
    std::array<uint128, 3> second{};
    for (std::size_t a = 0; a < 3; ++a) {
        n[a] = std::uint64_t(high[a] - low[a] + 1);
        for (std::int64_t v = low[a]; v <= high[a]; ++v)
            first[a] += std::uint64_t(v), second[a] += uint128(std::uint64_t(v)) * std::uint64_t(v);
    }
    WideSums s;
    s.n = n[0] * n[1] * n[2];
    s.x = first[0] * n[1] * n[2], s.y = first[1] * n[0] * n[2], s.z = first[2] * n[0] * n[1];
    s.xx = second[0] * n[1] * n[2], s.yy = second[1] * n[0] * n[2], s.zz = second[2] * n[0] * n[1];
    s.xy = uint128(first[0]) * first[1] * n[2], s.xz = uint128(first[0]) * first[2] * n[1], s.yz = uint128(first[1]) * first[2] * n[0];
    s.x0 = std::uint32_t(low[0]), s.y0 = std::uint32_t(low[1]), s.z0 = std::uint32_t(low[2]);
    s.x1 = std::uint32_t(high[0]), s.y1 = std::uint32_t(high[1]), s.z1 = std::uint32_t(high[2]);
    return s;
}

/// The covariance by an independent formula: the sum over all pairs (p, q) of (a_p - a_q)(b_p - b_q), divided by 2 N^2. All steps before
/// the division are exact integers.
double pairwise_covariance(const std::vector<Voxel>& voxels, std::size_t a, std::size_t b) {
    int128 sum = 0;
    for (const Voxel& p : voxels)
        for (const Voxel& q : voxels) sum += int128(p[a] - q[a]) * (p[b] - q[b]);
    return double(static_cast<long double>(sum) /
                  (2.0L * static_cast<long double>(voxels.size()) * static_cast<long double>(voxels.size())));
}

bool within_ulps(double value, double expected, double ulps) { return std::abs(value - expected) <= ulps * 1.2e-16 * std::abs(expected); }

constexpr std::array<std::array<std::size_t, 2>, 6> pairs{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
constexpr Extent huge{4'000'000'000, 4'000'000'000, 4'000'000'000};  // affects only touches_border

World scaled(double x, double y, double z) { return {{{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}}}}; }

/// An affine of voxel spacing (x, y, z), then a rotation about two axes, then an offset.
World oblique(double x, double y, double z) {
    const double c = std::cos(0.7), s = std::sin(0.7), d = std::cos(-1.1), t = std::sin(-1.1);
    return {{{{c * x, -s * d * y, s * t * z, 100}, {s * x, c * d * y, -c * t * z, -2e4}, {0, t * y, d * z, 1e-3}}}};
}

}  // namespace

TEST_CASE("covariance and centroid equal exact arithmetic, near the origin and far from it") {
    std::mt19937_64 random(11);
    for (const std::int64_t offset : {0L, 1L, 65'000L, 2'000'000'000L, 4'000'000'000})
        for (int trial = 0; trial < 60; ++trial) {
            std::vector<Voxel> voxels(1 + random() % 40);
            for (Voxel& v : voxels)
                for (auto& c : v) c = offset + std::int64_t(random() % (trial % 2 ? 7 : 1000));
            const Properties p = describe(sums_of(voxels), huge, std::nullopt);
            CAPTURE(offset);
            CAPTURE(trial);
            CHECK(p.voxels == voxels.size());
            CHECK_FALSE(p.has_world);
            for (std::size_t i = 0; i < 6; ++i)
                REQUIRE(within_ulps(p.covariance[i], pairwise_covariance(voxels, pairs[i][0], pairs[i][1]), 1));
            for (std::size_t a = 0; a < 3; ++a) {
                std::int64_t sum = 0;
                for (const Voxel& v : voxels) sum += v[a] - offset;
                const long double mean = offset + static_cast<long double>(sum) / static_cast<long double>(voxels.size());
                REQUIRE(within_ulps(p.centroid[a], double(mean), 1));
            }
        }
}

TEST_CASE("boxes with moments beyond 64 bits and close to 128 bits") {
    // Along an axis of n voxels the variance is (n^2 - 1) / 12; axes are independent.
    for (const Voxel& n : {Voxel{1000, 1000, 1000}, Voxel{300'000, 20'000, 1000}, Voxel{1'000'000, 3, 1}})
        for (const std::int64_t offset : {0L, 3'000'000'000}) {
            const Voxel low{offset, offset, offset}, high{offset + n[0] - 1, offset + n[1] - 1, offset + n[2] - 1};
            // Sums of coordinates must fit into 64 bits, as in every volume.
            if (double(n[0]) * double(n[1]) * double(n[2]) * double(offset) > 1.8e19) continue;
            const Properties p = describe(sums_of_box(low, high), huge, scaled(1, 1, 1));
            for (std::size_t a = 0; a < 3; ++a) {
                const double variance = double(n[a] * n[a] - 1) / 12;
                CHECK(within_ulps(p.covariance[a == 0 ? 0 : a == 1 ? 3 : 5], variance, 2));
                CHECK(p.box[2 * a] == low[a]);
                CHECK(p.box[2 * a + 1] == high[a]);
            }
            CHECK(p.covariance[1] == 0);
            CHECK(p.covariance[2] == 0);
            CHECK(p.covariance[4] == 0);
            CHECK(p.axes_mm[0] == doctest::Approx(std::sqrt(double(n[0] * n[0] - 1) / 12)).epsilon(1e-14));
        }
}

TEST_CASE("the covariance and the axes of a single voxel are zero") {
    for (const World& world : {scaled(1, 2, 3), oblique(0.5, 2, 40)}) {
        const Properties p = describe(sums_of({{7, 8, 9}}), {20, 20, 20}, world);
        CHECK(p.covariance == std::array<double, 6>{});
        CHECK(p.covariance_mm2 == std::array<double, 6>{});
        CHECK(p.axes_mm == std::array<double, 3>{});
        CHECK(p.elongation == 0);
        CHECK(p.flatness == 0);
        CHECK(p.centroid == std::array<double, 3>{7, 8, 9});
        CHECK(p.box == std::array<std::int64_t, 6>{7, 7, 8, 8, 9, 9});
    }
}

TEST_CASE("plates and lines in any direction have exact zeros, and axes in descending order") {
    std::vector<Voxel> line, diagonal, plate, oblique_plate, slope;
    for (std::int64_t i = 0; i < 30; ++i) {
        line.push_back({5, 1000 + i, 3});
        diagonal.push_back({100 + i, 200 + i, 300 + i});
        slope.push_back({1000 + 3 * i, 10 + i, 70 + 2 * i});
        for (std::int64_t j = 0; j < 17; ++j) {
            plate.push_back({i, j, 12});
            oblique_plate.push_back({i, j, 500 - i + 2 * j});
        }
    }
    for (const World& world : {scaled(1, 1, 1), scaled(1e-3, 1, 1e3), oblique(1, 1, 1), oblique(0.7, 0.7, 5), oblique(1e-3, 1, 200)}) {
        for (const auto& voxels : {line, diagonal, slope}) {
            const Properties p = describe(sums_of(voxels), huge, world);
            CHECK(p.axes_mm[0] > 0);
            CHECK(p.axes_mm[1] == 0);
            CHECK(p.axes_mm[2] == 0);
            CHECK(p.elongation == 0);
            CHECK(p.flatness == 0);
        }
        for (const auto& voxels : {plate, oblique_plate}) {
            const Properties p = describe(sums_of(voxels), huge, world);
            CHECK(p.axes_mm[0] >= p.axes_mm[1]);
            CHECK(p.axes_mm[1] > 0);
            CHECK(p.axes_mm[2] == 0);
            CHECK(p.elongation > 0);
            CHECK(p.flatness == 0);
        }
    }
    // A diagonal of 30 voxels along (1, 1, 1) has three times the variance of a straight line of 30 voxels.
    CHECK(describe(sums_of(diagonal), huge, scaled(1, 1, 1)).axes_mm[0] == doctest::Approx(std::sqrt(3 * 899. / 12)).epsilon(1e-14));
}

TEST_CASE("a thin axis is not set to zero, even with a small spacing") {
    std::vector<Voxel> almost_line;
    for (std::int64_t i = 0; i < 10'000; ++i) almost_line.push_back({i, 0, 0});
    almost_line.push_back({5000, 1, 0});
    const Properties p = describe(sums_of(almost_line), huge, scaled(1e3, 1e-3, 1));
    CHECK(p.axes_mm[1] == doctest::Approx(1e-3 * std::sqrt(10'000. / 10'001 / 10'001)).epsilon(1e-6));
    CHECK(p.axes_mm[2] == 0);
}

TEST_CASE("mm columns follow from the affine") {
    std::mt19937_64 random(3);
    std::vector<Voxel> voxels;
    for (int i = 0; i < 200; ++i) voxels.push_back({std::int64_t(random() % 50), std::int64_t(random() % 20), std::int64_t(random() % 9)});
    const World world = oblique(0.7, 1.3, 5);
    const Properties p = describe(sums_of(voxels), {50, 20, 9}, world);
    REQUIRE(p.has_world);
    CHECK(p.volume_mm3 == doctest::Approx(200 * 0.7 * 1.3 * 5).epsilon(1e-13));
    // The expected values are computed by definition from the positions in mm.
    std::array<long double, 3> mean{};
    std::vector<std::array<long double, 3>> positions;
    for (const Voxel& v : voxels) {
        std::array<long double, 3> at{};
        for (std::size_t r = 0; r < 3; ++r) {
            const auto& row = world.affine[r];
            at[r] = static_cast<long double>(row[0]) * v[0] + static_cast<long double>(row[1]) * v[1] +
                    static_cast<long double>(row[2]) * v[2] + row[3];
            mean[r] += at[r] / 200;
        }
        positions.push_back(at);
    }
    for (std::size_t r = 0; r < 3; ++r) CHECK(p.centroid_mm[r] == doctest::Approx(double(mean[r])).epsilon(1e-13));
    double trace = 0;
    for (std::size_t i = 0; i < 6; ++i) {
        long double sum = 0;
        for (const auto& at : positions) sum += (at[pairs[i][0]] - mean[pairs[i][0]]) * (at[pairs[i][1]] - mean[pairs[i][1]]) / 200;
        CHECK(p.covariance_mm2[i] == doctest::Approx(double(sum)).epsilon(1e-11));
        if (pairs[i][0] == pairs[i][1]) trace += double(sum);
    }
    // The sum of the eigenvalues is the trace. Their product is the determinant, which the affine scales by its own determinant squared.
    const auto& [a, b, c] = p.axes_mm;
    CHECK(a >= b);
    CHECK(b >= c);
    CHECK(a * a + b * b + c * c == doctest::Approx(trace).epsilon(1e-12));
    const auto& k = p.covariance;
    const double determinant = k[0] * (k[3] * k[5] - k[4] * k[4]) - k[1] * (k[1] * k[5] - k[4] * k[2]) + k[2] * (k[1] * k[4] - k[3] * k[2]);
    CHECK(a * a * b * b * c * c == doctest::Approx(determinant * std::pow(0.7 * 1.3 * 5, 2)).epsilon(1e-11));
    CHECK(p.elongation == b / a);
    CHECK(p.flatness == c / a);
}

TEST_CASE("an isotropic cube keeps equal axes under rotation") {
    const Properties p = describe(sums_of_box({10, 10, 10}, {19, 19, 19}), huge, oblique(2, 2, 2));
    for (const double axis : p.axes_mm) CHECK(axis == doctest::Approx(2 * std::sqrt(99. / 12)).epsilon(1e-13));
    CHECK(p.elongation == doctest::Approx(1));
}

TEST_CASE("border contact") {
    const auto touches = [](const Voxel& v, const Extent& e) { return describe(sums_of({v}), e, std::nullopt).touches_border; };
    CHECK_FALSE(touches({1, 1, 1}, {3, 3, 3}));
    for (const Voxel& v : {Voxel{0, 1, 1}, Voxel{2, 1, 1}, Voxel{1, 0, 1}, Voxel{1, 2, 1}, Voxel{1, 1, 0}, Voxel{1, 1, 2}})
        CHECK(touches(v, {3, 3, 3}));
    CHECK_FALSE(touches({1, 1, 0}, {3, 3, 1}));  // in an image, z does not count
    CHECK(touches({0, 1, 0}, {3, 3, 1}));
}

TEST_CASE("extents whose moments fit 64 bits") {
    CHECK(second_moments_fit({7000, 7000, 7000}));
    CHECK_FALSE(second_moments_fit({8900, 8900, 8900}));
    CHECK_FALSE(second_moments_fit({70'000, 70'000, 1000}));
    CHECK(second_moments_fit({2'000'000, 1, 1}));
}

TEST_CASE("a table gives the same sums from narrow and wide rows") {
    Sums<std::uint64_t> narrow;
    narrow.add(Sums<std::uint64_t>{{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1, 2, 3, 4, 5, 6});
    WideSums wide;
    wide.add(narrow);
    const SumTable of_narrow(std::vector{narrow}), of_wide(std::vector{wide});
    CHECK(of_narrow.size() == 1);
    CHECK(of_narrow.voxels(0) == 2);
    CHECK(of_wide.voxels(0) == 2);
    CHECK((of_narrow[0] == of_wide[0]));
}
