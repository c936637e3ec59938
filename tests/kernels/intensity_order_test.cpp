// Tests that sums of intensities do not depend on the order of the voxels: rows in parts, in any order, of values of any size.
#include <voxcc/measure.h>
#include "kernels3d/measure/power_sums.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

constexpr std::size_t row_length = 24;
constexpr std::uint8_t components = 4;

template <class T>
struct Row {
    std::int64_t y, z;
    std::vector<std::uint8_t> numbers;
    std::vector<T> values;
};

template <class T>
void add(IntensitySums& sums, const Row<T>& row) {
    sums.add_row<std::uint8_t>(row.y, row.z, row.numbers, std::as_bytes(std::span(row.values)));
}

/// The bits of the properties of all components. NaN values of one kind are equal.
std::vector<std::uint64_t> bits_of(const IntensitySums& sums, const LinearScale& scale) {
    std::vector<std::uint64_t> bits;
    for (std::uint64_t component = 1; component <= components; ++component) {
        const IntensityProperties p = sums.properties(component, scale, std::nullopt);
        for (const double value : {p.mean, p.standard_deviation, p.min, p.max, p.sum, p.weighted_centroid[0], p.weighted_centroid[1],
                                   p.weighted_centroid[2], p.skewness, p.kurtosis})
            bits.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value));
        for (const auto& at : {p.minimum, p.peak})
            for (const std::int64_t index : at.value_or(std::array<std::int64_t, 3>{-1, -1, -1})) bits.push_back(std::uint64_t(index));
    }
    return bits;
}

template <class T, class Draw>
void check_order(Draw draw) {
    std::mt19937_64 random(5);
    std::vector<Row<T>> rows;
    for (std::int64_t r = 0; r < 40; ++r) {
        Row<T> row{r % 8, r / 8, {}, {}};
        for (std::size_t x = 0; x < row_length; ++x) {
            row.numbers.push_back(std::uint8_t(random() % (components + 1)));
            row.values.push_back(draw(random));
        }
        rows.push_back(row);
    }
    IntensitySums all(scalar_type_of<T>());
    for (const Row<T>& row : rows) add(all, row);
    for (int i = 0; i < 20; ++i) {
        std::ranges::shuffle(rows, random);
        IntensitySums joined(scalar_type_of<T>());
        std::uint64_t nan_voxels = 0;
        for (std::size_t first = 0; first < rows.size();) {
            // A part of the rows, in which the components have other numbers. Each row is added in two pieces.
            const std::size_t end = std::min(rows.size(), first + 1 + random() % 15);
            IntensitySums part(scalar_type_of<T>());
            for (; first < end; ++first) {
                Row<T> row = rows[first];
                for (std::uint8_t& number : row.numbers) number = number == 0 ? 0 : std::uint8_t(components + 1 - number);
                const std::size_t left = random() % row_length;
                const std::span<const std::uint8_t> numbers(row.numbers);
                const auto values = std::as_bytes(std::span(row.values));
                const std::uint64_t y = std::uint64_t(row.y), z = std::uint64_t(row.z);
                part.add_voxels({left, y, z}, numbers.subspan(left), values.subspan(left * sizeof(T)));
                part.add_voxels({0, y, z}, numbers.first(left), values.first(left * sizeof(T)));
            }
            for (std::uint64_t component = 1; component <= components; ++component) joined.add(component, part, components + 1 - component);
            nan_voxels += part.nan_voxels();
        }
        CHECK(nan_voxels == all.nan_voxels());
        for (const LinearScale& scale : {LinearScale{}, LinearScale{-0.1, 1e9}}) CHECK(bits_of(joined, scale) == bits_of(all, scale));
    }
}

IntensityProperties of_row(const std::vector<double>& values, const LinearScale& scale = {}) {
    IntensitySums sums(ScalarType::f64);
    const std::vector<std::uint8_t> numbers(values.size(), 1);
    sums.add_row<std::uint8_t>(0, 0, numbers, std::as_bytes(std::span(values)));
    return sums.properties(1, scale, std::nullopt);
}

}  // namespace

TEST_CASE("sums of parts in any order equal the sums of all rows") {
    check_order<std::uint8_t>([](auto& r) { return std::uint8_t(r()); });
    check_order<std::int16_t>([](auto& r) { return std::int16_t(r()); });
    check_order<std::int16_t>([](auto& r) { return std::int16_t(r() % 3); });
    check_order<std::uint32_t>([](auto& r) { return std::uint32_t(r()); });
    check_order<std::int64_t>([](auto& r) { return std::int64_t(r()) >> (r() % 64); });
    check_order<std::uint64_t>([](auto& r) { return r(); });
    check_order<float>([](auto& r) { return std::bit_cast<float>(std::uint32_t(r())); });  // with NaN
    check_order<float>([](auto& r) { return float(std::int64_t(r() % 5) - 2) * 0.0f; });   // 0 and -0
    check_order<double>([](auto& r) { return std::bit_cast<double>(r()); });
    check_order<double>([](auto& r) { return std::normal_distribution<double>(3, 1)(r); });
}

TEST_CASE("sums of doubles are rounded once") {
    const double tiny = 5e-324, huge = 1.7976931348623157e308;
    CHECK(of_row({1e16, 1, -1e16}).sum == 1);
    CHECK(of_row({huge, huge, -huge, -huge, tiny}).sum == tiny);
    CHECK(of_row({huge, huge}).sum == INFINITY);
    CHECK(of_row({huge, huge}).mean == huge);
    CHECK(of_row({huge, -huge}).standard_deviation == huge);
    CHECK(of_row({-huge, -huge, tiny}).sum == -INFINITY);
    // The last digit of 1 is 2^-52. Half of it, and a little more or less.
    const double half = std::ldexp(1, -53), rest = std::ldexp(1, -1000);
    CHECK(of_row({1, half}).sum == 1);
    CHECK(of_row({1, half, rest}).sum == 1 + 2 * half);
    CHECK(of_row({1, half, -rest}).sum == 1);
    CHECK(of_row({1, 3 * half}).sum == 1 + 4 * half);
    CHECK(of_row({-1, -half, -rest}).sum == -1 - 2 * half);
    CHECK(of_row({3, 3 * half, rest}).mean == 1 + 2 * half);
    CHECK(of_row({3, 3 * half, -rest}).mean == 1);
    // Below the normal doubles, the last digit is `tiny`.
    CHECK(of_row({tiny, 0}).mean == 0);
    CHECK(of_row({tiny, 2 * tiny}).mean == 2 * tiny);
    CHECK(of_row({tiny, tiny, 0}).mean == tiny);
    CHECK(of_row({3 * tiny}, {0.5, 0}).sum == 2 * tiny);
    CHECK(of_row({tiny, tiny, tiny}, {0.25, 0}).sum == tiny);
    CHECK(of_row({0.1, 0.2, 0.3}, {10, -2}).sum == 5.551115123125783e-17);  // the difference of the doubles from 0.1, 0.2 and 0.3
}

TEST_CASE("a scale that is not finite has no sums") {
    const IntensityProperties p = of_row({1, 2}, {INFINITY, 0});
    CHECK(std::isnan(p.sum));
    CHECK(p.peak == std::array<std::int64_t, 3>{1, 0, 0});
}

TEST_CASE("components of values of similar size need no more memory") {
    IntensitySums sums(ScalarType::f32);
    sums.reserve(1);
    const std::vector<std::uint8_t> numbers{1, 1, 1};
    const std::vector<float> usual{0, 1e-4f, -6e4f}, others{1e-30f, 1, 1e30f};
    sums.add_row<std::uint8_t>(0, 0, numbers, std::as_bytes(std::span(usual)));
    CHECK(sums.more_bytes() == 0);
    sums.add_row<std::uint8_t>(1, 0, numbers, std::as_bytes(std::span(others)));
    CHECK(sums.more_bytes() == 2 * sizeof(ScaledSums<Powers::four>));
    CHECK(sums.bytes_per_component() <= 304);
}
