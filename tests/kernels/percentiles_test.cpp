// Tests percentiles of components against sorted values.
#include <voxcc/measure.h>
#include "kernels3d/base/order_statistics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace voxcc;

namespace {

const std::vector<double> percents{0, 5, 33.3, 50, 95, 99.99, 100};

struct Rows {
    std::size_t nx;
    std::vector<std::uint32_t> components;
};

/// The percentiles by their definition.
template <class T>
std::vector<double> expected_of(const Rows& rows, const std::vector<T>& values, std::uint32_t component, const LinearScale& scale) {
    std::vector<double> scaled;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (rows.components[i] == component && values[i] == values[i]) scaled.push_back(double(values[i]) * scale.slope + scale.intercept);
    std::sort(scaled.begin(), scaled.end());
    std::vector<double> result;
    for (const double p : percents) {
        if (scaled.empty()) {
            result.push_back(std::nan(""));
            continue;
        }
        const auto at = percentile_place(scaled.size(), p);
        const double low = scaled[at.index], high = scaled[at.next];
        result.push_back(interpolated(low, high, high - low, at.part));
    }
    return result;
}

struct Found {
    std::vector<std::vector<double>> percentiles;  // [component - 1][percent]
    int passes = 0;
};

template <class T>
Found found(const Rows& rows, const std::vector<T>& values, std::uint32_t components, const LinearScale& scale, std::int64_t bytes) {
    const auto each_row = [&](const auto& f) {
        for (std::size_t at = 0, y = 0; at < values.size(); at += rows.nx, ++y)
            f(std::int64_t(y), std::span(rows.components).subspan(at, rows.nx), std::as_bytes(std::span(values).subspan(at, rows.nx)));
    };
    IntensitySums sums(scalar_type_of<T>());
    each_row([&](std::int64_t y, auto row, auto stored) { sums.add_row<std::uint32_t>(y, 0, row, stored); });
    std::vector<StoredRange> ranges;
    for (std::uint32_t k = 1; k <= components; ++k) ranges.push_back(sums.stored_range(k));
    Percentiles p(scalar_type_of<T>(), percents, ranges, scale, bytes);
    Found result;
    for (; p.begin_pass(); ++result.passes) {
        each_row([&](std::int64_t, auto row, auto stored) { p.add_row<std::uint32_t>(row, stored); });
        p.end_pass();
    }
    for (std::uint32_t k = 1; k <= components; ++k) {
        result.percentiles.emplace_back();
        for (std::size_t i = 0; i < percents.size(); ++i) result.percentiles.back().push_back(p.value(k, i));
    }
    return result;
}

Rows random_rows(std::mt19937_64& random, std::size_t nx, std::size_t rows, std::uint32_t components) {
    Rows r{nx, {}};
    while (r.components.size() < nx * rows) r.components.insert(r.components.end(), 1 + random() % 30, random() % (components + 1));
    r.components.resize(nx * rows);
    return r;
}

template <class T, class Draw>
void check_type(const Draw& draw, int most_passes) {
    std::mt19937_64 random(5);
    constexpr std::uint32_t components = 9;  // component 10 has no voxels
    const Rows rows = random_rows(random, 500, 70, components);
    std::vector<T> values(rows.components.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(random, rows.components[i]);
    CAPTURE(name_of(scalar_type_of<T>()));
    for (const LinearScale& scale : {LinearScale{}, LinearScale{-0.5, 3}})
        for (const std::int64_t bytes : {std::int64_t{1} << 30, std::int64_t{9000}, std::int64_t{1}}) {
            CAPTURE(bytes);
            const Found got = found(rows, values, components + 1, scale, bytes);
            if (bytes == std::int64_t{1} << 30) CHECK(got.passes <= most_passes);
            for (std::uint32_t k = 1; k <= components + 1; ++k) {
                const auto expected = expected_of(rows, values, k, scale);
                for (std::size_t i = 0; i < percents.size(); ++i) {
                    const double value = got.percentiles[k - 1][i];
                    CHECK((value == expected[i] || (std::isnan(value) && std::isnan(expected[i]))));
                }
            }
        }
}

}  // namespace

TEST_CASE("percentiles of every type equal the sorted values, in little memory, too") {
    check_type<std::uint8_t>([](auto& r, std::uint32_t) { return std::uint8_t(r()); }, 1);
    check_type<std::int8_t>([](auto& r, std::uint32_t k) { return std::int8_t(r() % (4 * k + 1)); }, 1);
    check_type<std::uint16_t>([](auto& r, std::uint32_t) { return std::uint16_t(r()); }, 1);
    check_type<std::int16_t>([](auto& r, std::uint32_t k) { return std::int16_t(r() % (10 * k + 1) - 5 * k); }, 1);
    check_type<std::uint32_t>([](auto& r, std::uint32_t) { return std::uint32_t(r()); }, 2);
    check_type<std::int32_t>([](auto& r, std::uint32_t k) { return std::int32_t(r() >> (5 * k)); }, 2);
    check_type<std::uint64_t>([](auto& r, std::uint32_t) { return r(); }, 4);
    check_type<std::int64_t>([](auto& r, std::uint32_t k) { return std::int64_t(r()) >> (6 * k); }, 4);
    check_type<float>([](auto& r, std::uint32_t) { return float(r() % 100'000) / 7 - 3000; }, 2);
    check_type<double>([](auto& r, std::uint32_t) { return double(r() % 100'000) / 7 - 300; }, 4);
}

TEST_CASE("percentiles of floats: NaN, zeros, infinities, equal values") {
    const auto value = [](auto& r, std::uint32_t k) {
        const float values[] = {std::nanf(""), 0.0f, -0.0f, 1e-40f, -1e-40f, 3.5f, -3.5f, 1e30f};
        return k == 1 ? std::nanf("") : k == 2 ? 7.25f : values[r() % 8];
    };
    check_type<float>(value, 2);
    const std::vector<float> infinite{-INFINITY, 1, 2, 3, INFINITY};
    const auto got = found({5, std::vector<std::uint32_t>(5, 1)}, infinite, 1, {}, 1 << 20).percentiles[0];
    CHECK(got[0] == -INFINITY);
    CHECK(got[3] == 2);
    CHECK(got.back() == INFINITY);
}

TEST_CASE("components whose range decides need no pass") {
    const std::vector<std::int16_t> values{5, 5, 5, 5, -3, 9};
    CHECK(found({3, {1, 1, 1, 1, 2, 2}}, values, 2, {}, 1 << 20).passes == 0);
    CHECK(found({3, {1, 1, 1, 1, 2, 2}}, values, 2, {}, 1 << 20).percentiles[1][3] == 3);
}

TEST_CASE("values that change between the passes are an error") {
    const std::vector<StoredRange> ranges{{4, 1, 9}};
    const std::vector<std::int16_t> values{1, 2, 3, 9, 4, 4};
    const std::vector<std::uint32_t> one(6, 1);
    const auto pass = [&](std::size_t voxels) {
        Percentiles p(ScalarType::i16, percents, ranges, {}, 1 << 20);
        REQUIRE(p.begin_pass());
        p.add_row<std::uint32_t>(std::span(one).first(voxels), std::as_bytes(std::span(values).first(voxels)));
        p.end_pass();
    };
    CHECK_THROWS_AS(pass(6), Error);
    CHECK_THROWS_AS(pass(3), Error);
    pass(4);
}
