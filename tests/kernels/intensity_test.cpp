// Tests intensity properties of components against their definitions.
#include <voxcc/measure.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

struct Place {
    std::int64_t x, y, z;
};
using Real = long double;

/// The expected properties, computed by their definitions in two passes over the voxels.
IntensityProperties expected_of(const std::vector<Place>& places, const std::vector<Real>& stored, const LinearScale& scale) {
    std::vector<Real> values;
    for (const Real v : stored) values.push_back(scale.slope * v + scale.intercept);
    const Real n = Real(values.size());
    Real sum = 0, low = values[0], high = values[0], wx = 0, wy = 0, wz = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Real v = values[i];
        sum += v, low = std::min(low, v), high = std::max(high, v);
        wx += v * Real(places[i].x), wy += v * Real(places[i].y), wz += v * Real(places[i].z);
    }
    std::array<Real, 5> powers{};  // sums of powers of v - mean
    for (const Real v : values)
        for (int k = 2; k <= 4; ++k) powers[std::size_t(k)] += std::pow(v - sum / n, Real(k));
    const Real squares = powers[2], variance = squares / n;
    IntensityProperties p;
    const auto place_of = [&](Real value) {
        const Place& at = places[std::size_t(std::find(values.begin(), values.end(), value) - values.begin())];
        return std::array{at.x, at.y, at.z};
    };
    p.minimum = place_of(low), p.peak = place_of(high);
    p.skewness = double(powers[3] / n / std::pow(variance, Real(1.5))), p.kurtosis = double(powers[4] / n / (variance * variance) - 3);
    p.mean = double(sum / n), p.sum = double(sum), p.min = double(low), p.max = double(high);
    p.standard_deviation = double(std::sqrt(squares / n));
    if (sum != 0) p.weighted_centroid = {double(wx / sum), double(wy / sum), double(wz / sum)};
    return p;
}

void check_close(const IntensityProperties& got, const IntensityProperties& expected) {
    const auto close = [](double a, double b) { return std::abs(a - b) <= 4e-15 * (std::abs(b) + 1e-300); };
    CHECK(close(got.mean, expected.mean));
    CHECK(std::abs(got.standard_deviation - expected.standard_deviation) <= 1e-13 * expected.standard_deviation);
    CHECK(close(got.min, expected.min));
    CHECK(close(got.max, expected.max));
    CHECK(close(got.sum, expected.sum));
    CHECK(got.minimum == expected.minimum);
    CHECK(got.peak == expected.peak);
    CHECK(std::abs(got.skewness - expected.skewness) <= 1e-12);
    CHECK(std::abs(got.kurtosis - expected.kurtosis) <= 1e-12);
    for (std::size_t a = 0; a < 3; ++a)
        CHECK(std::abs(got.weighted_centroid[a] - expected.weighted_centroid[a]) <= 1e-12 * std::abs(expected.weighted_centroid[a]));
}

/// Checks a volume of three components and background, with random values of type T from `draw`, which is added row by row.
template <class T, class Draw>
void check_type(const Extent& e, Draw draw) {
    std::mt19937_64 random(17);
    IntensitySums sums(scalar_type_of<T>());
    std::array<std::vector<Place>, 4> places;
    std::array<std::vector<Real>, 4> values;
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y) {
            std::vector<std::uint32_t> components;
            while (components.size() < std::size_t(e.nx))
                components.insert(components.end(), 1 + random() % 9, std::uint32_t(random() % 4));
            components.resize(std::size_t(e.nx));
            std::vector<T> row;
            for (std::int64_t x = 0; x < e.nx; ++x) {
                row.push_back(draw(random));
                const std::uint32_t c = components[std::size_t(x)];
                places[c].push_back({x, y, z});
                values[c].push_back(Real(row.back()));
            }
            sums.add_row<std::uint32_t>(y, z, components, std::as_bytes(std::span(row)));
        }
    for (std::uint64_t c = 1; c <= 3; ++c)
        for (const LinearScale& scale : {LinearScale{}, LinearScale{0.5, -1024}, LinearScale{-2, 3}}) {
            CAPTURE(name_of(scalar_type_of<T>()));
            CAPTURE(scale.slope);
            check_close(sums.properties(c, scale, std::nullopt), expected_of(places[c], values[c], scale));
        }
}

IntensityProperties of_row(const std::vector<double>& values) {
    IntensitySums sums(ScalarType::f64);
    const std::vector<std::uint8_t> components(values.size(), 1);
    sums.add_row<std::uint8_t>(0, 0, components, std::as_bytes(std::span(values)));
    return sums.properties(1, {}, std::nullopt);
}

}  // namespace

TEST_CASE("every type agrees with the definitions") {
    const Extent e{37, 11, 5};
    check_type<std::uint8_t>(e, [](auto& r) { return std::uint8_t(r()); });
    check_type<std::int8_t>(e, [](auto& r) { return std::int8_t(r()); });
    check_type<std::uint16_t>(e, [](auto& r) { return std::uint16_t(r()); });
    check_type<std::int16_t>(e, [](auto& r) { return std::int16_t(r()); });
    check_type<std::uint32_t>(e, [](auto& r) { return std::uint32_t(r()); });
    check_type<std::int32_t>(e, [](auto& r) { return std::int32_t(r()); });
    check_type<std::uint64_t>(e, [](auto& r) { return r() >> 20; });
    check_type<std::int64_t>(e, [](auto& r) { return std::int64_t(r()) >> 30; });
    check_type<float>(e, [](auto& r) { return float(r() % 100'000) / 7; });
    check_type<double>(e, [](auto& r) { return double(r() % 100'000) / 7 - 300; });
}

TEST_CASE("32-bit integers of extreme size are exact") {
    IntensitySums sums(ScalarType::u32);
    const std::uint32_t top = 4'294'967'295u;
    const std::vector<std::uint32_t> values{top, top - 1, top, top - 1};
    const std::vector<std::uint32_t> components(4, 1);
    for (int i = 0; i < 1000; ++i) sums.add_row<std::uint32_t>(1'000'000, 0, components, std::as_bytes(std::span(values)));
    const auto p = sums.properties(1, {}, std::nullopt);
    CHECK(p.mean == 4'294'967'294.5);
    CHECK(p.standard_deviation == 0.5);
    CHECK(p.sum == 1000 * (4 * double(top) - 2));
    CHECK(p.weighted_centroid[1] == 1'000'000);
}

TEST_CASE("sums of doubles are more accurate than plain sums") {
    CHECK(of_row({1e16, 1, 1, 1, 1, -1e16}).sum == 4);
    CHECK(of_row({1e9 + 1e-3, 1e9 - 1e-3}).standard_deviation == doctest::Approx(1e-3).epsilon(1e-4));
    CHECK(of_row(std::vector<double>(100'000, 0.1)).standard_deviation == 0);
    CHECK(of_row(std::vector<double>(100'000, 0.1)).mean == 0.1);
}

TEST_CASE("NaN voxels are excluded and counted") {
    const double nan = std::nan("");
    IntensitySums sums(ScalarType::f64);
    const std::vector<double> values{nan, 2, 4, nan, nan, nan};
    const std::vector<std::uint16_t> components{1, 1, 1, 2, 0, 2};
    sums.add_row<std::uint16_t>(0, 0, components, std::as_bytes(std::span(values)));
    CHECK(sums.nan_voxels() == 3);
    const auto p = sums.properties(1, {1, 10}, std::nullopt);
    CHECK(p.mean == 13);
    CHECK(p.sum == 26);
    CHECK(p.standard_deviation == 1);
    CHECK(p.weighted_centroid[0] == (12. * 1 + 14. * 2) / 26);  // only voxels that are not NaN get the intercept
    const auto none = sums.properties(2, {}, std::nullopt);
    for (const double v : {none.mean, none.standard_deviation, none.min, none.max, none.sum, none.weighted_centroid[0]})
        CHECK(std::isnan(v));
}

TEST_CASE("weights with a sum of zero have no centroid") {
    const auto p = of_row({-3, 1, 2});
    CHECK(p.sum == 0);
    CHECK(p.mean == 0);
    for (const double v : p.weighted_centroid) CHECK(std::isnan(v));
}

TEST_CASE("the weighted centroid in mm is computed with the affine") {
    IntensitySums sums(ScalarType::u8);
    const std::vector<std::uint8_t> values{0, 1, 0, 3};
    const std::vector<std::uint64_t> components(4, 5);
    sums.add_row<std::uint64_t>(2, 7, components, std::as_bytes(std::span(values)));
    const World world{{{{-2, 0, 0, 10}, {0, 3, 0, 0}, {0, 0, 4, 1}}}};
    const auto p = sums.properties(5, {}, world);
    CHECK(p.weighted_centroid == std::array<double, 3>{2.5, 2, 7});
    CHECK(p.weighted_centroid_mm == std::array<double, 3>{5, 6, 29});
    CHECK(std::isnan(sums.properties(5, {}, std::nullopt).weighted_centroid_mm[0]));
    CHECK(std::isnan(sums.properties(99, {}, world).mean));  // component 99 has no voxels
}

TEST_CASE("a negative slope exchanges minimum and maximum") {
    IntensitySums sums(ScalarType::i16);
    const std::vector<std::int16_t> values{-5, 7};
    sums.add_row<std::uint8_t>(0, 0, std::vector<std::uint8_t>{1, 1}, std::as_bytes(std::span(values)));
    const auto p = sums.properties(1, {-1, 0}, std::nullopt);
    CHECK(p.min == -7);
    CHECK(p.max == 5);
    CHECK(p.standard_deviation == 6);
}

TEST_CASE("skewness and kurtosis") {
    CHECK(of_row({0, 0, 0, 1}).skewness == doctest::Approx(2 / std::sqrt(3.0)).epsilon(1e-15));
    CHECK(of_row({0, 0, 0, 1}).kurtosis == doctest::Approx(-2.0 / 3).epsilon(1e-15));
    CHECK(of_row({1, 2, 3, 4, 5}).skewness == 0);
    for (const auto& values : {std::vector<double>{7}, {0.1, 0.1, 0.1}, {1, INFINITY}}) {
        CHECK(std::isnan(of_row(values).skewness));
        CHECK(std::isnan(of_row(values).kurtosis));
    }
    for (const double unit : {1e200, 1e-200, 4e307, 5e-324}) {
        CHECK(of_row({unit, 2 * unit, 4 * unit}).skewness == of_row({1, 2, 4}).skewness);
        CHECK(of_row({unit, 2 * unit, 4 * unit}).kurtosis == of_row({1, 2, 4}).kurtosis);
        CHECK(of_row({unit, 2 * unit, 4 * unit}).weighted_centroid == of_row({1, 2, 4}).weighted_centroid);
    }
    // Scaling by a negative slope changes the sign of the skewness only.
    IntensitySums sums(ScalarType::i16);
    const std::vector<std::int16_t> values{0, 0, 0, 1};
    sums.add_row<std::uint8_t>(0, 0, std::vector<std::uint8_t>(4, 1), std::as_bytes(std::span(values)));
    CHECK(sums.properties(1, {-3, 8}, std::nullopt).skewness == doctest::Approx(-2 / std::sqrt(3.0)).epsilon(1e-15));
    CHECK(sums.properties(1, {-3, 8}, std::nullopt).kurtosis == doctest::Approx(-2.0 / 3).epsilon(1e-15));
}

TEST_CASE("skewness and kurtosis keep their digits far from zero") {
    // {0, 0, 0, 1} many times, on top of the largest offsets of the types.
    const auto check = [](auto offset) {
        using T = decltype(offset);
        IntensitySums sums(scalar_type_of<T>());
        const std::vector<T> values{offset, offset, offset, T(offset + 1)};
        for (int y = 0; y < 5000; ++y) sums.add_row<std::uint8_t>(y, 0, std::vector<std::uint8_t>(4, 1), std::as_bytes(std::span(values)));
        CHECK(sums.properties(1, {}, std::nullopt).skewness == doctest::Approx(2 / std::sqrt(3.0)).epsilon(1e-14));
        CHECK(sums.properties(1, {}, std::nullopt).kurtosis == doctest::Approx(-2.0 / 3).epsilon(1e-14));
    };
    check(std::uint32_t(4'294'967'294)), check(std::int32_t(-2'147'483'648)), check(std::uint16_t(65'534)), check(std::int16_t(-32'768));
    check(float(8'000'000)), check(double(1e12));
}

TEST_CASE("the first value is far from the others") {
    std::vector<double> values(20'000, 3.0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += double(i % 7) / 10;
    values[0] = 1e9;
    std::vector<double> last = values;
    std::swap(last.front(), last.back());
    CHECK(of_row(values).skewness == doctest::Approx(of_row(last).skewness).epsilon(1e-13));
    CHECK(of_row(values).kurtosis == doctest::Approx(of_row(last).kurtosis).epsilon(1e-13));
}

TEST_CASE("extremes are the first of equal values") {
    IntensitySums sums(ScalarType::f32);
    const float nan = std::nanf("");
    const std::vector<float> first{nan, 2, 5, 5, 1}, second{9, 1, 9, -0.0f, 0.0f}, third{-0.0f, 9, 2, 2, 2};
    const std::vector<std::uint8_t> components{1, 1, 1, 1, 1};
    sums.add_row<std::uint8_t>(0, 0, components, std::as_bytes(std::span(first)));
    CHECK(sums.properties(1, {}, std::nullopt).peak == std::array<std::int64_t, 3>{2, 0, 0});
    CHECK(sums.properties(1, {-1, 0}, std::nullopt).peak == std::array<std::int64_t, 3>{4, 0, 0});
    sums.add_row<std::uint8_t>(1, 2, components, std::as_bytes(std::span(second)));
    sums.add_row<std::uint8_t>(3, 2, components, std::as_bytes(std::span(third)));
    const World world{{{{-2, 0, 0, 10}, {0, 3, 0, 0}, {0, 0, 4, 1}}}};
    const auto p = sums.properties(1, {}, world);
    CHECK(p.peak == std::array<std::int64_t, 3>{0, 1, 2});
    CHECK(p.minimum == std::array<std::int64_t, 3>{3, 1, 2});
    CHECK(p.peak_mm == std::array<double, 3>{10, 3, 9});
    CHECK(p.minimum_mm == std::array<double, 3>{4, 3, 9});
    CHECK(sums.stored_range(1).voxels == 14);
    CHECK(sums.stored_range(1).largest == 9);
    CHECK(sums.stored_range(2).voxels == 0);
    // A component of infinities: their position is known, the moments are not.
    IntensitySums infinite(ScalarType::f32);
    const std::vector<float> low{-INFINITY, -INFINITY};
    infinite.add_row<std::uint8_t>(0, 0, std::vector<std::uint8_t>{0, 1}, std::as_bytes(std::span(low)));
    CHECK(infinite.properties(1, {}, std::nullopt).peak == std::array<std::int64_t, 3>{1, 0, 0});
}
