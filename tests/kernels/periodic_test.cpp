// Tests periodic volumes against closed forms: unwrapped sums, axes that components wrap around, sections, and properties.
#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/shape.h>
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include "kernels/oracle.h"
#include "kernels/sums.h"
#include "kernels3d/base/union_shifted.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace voxcc;

namespace {

using Voxel = std::array<std::int64_t, 3>;

std::vector<std::uint8_t> volume_of(const Extent& e, const std::vector<Voxel>& voxels) {
    std::vector<std::uint8_t> v(std::size_t(e.voxels()));
    for (const auto& [x, y, z] : voxels) v[std::size_t((z * e.ny + y) * e.nx + x)] = 1;
    return v;
}

Question question_of(const AxisSet& periodic, Connectivity connectivity = Connectivity::c26, Rule rule = Rule::foreground) {
    Question question;
    question.periodic = periodic;
    question.connectivity = connectivity;
    question.rule = rule;
    question.difference = 1;
    return question;
}

SumTable measured(const std::vector<std::uint8_t>& voxels, const Extent& e, const Question& question) {
    return label(view(voxels.data(), e), question)->measure();
}

Wrapping wrapping(const Extent& e, const AxisSet& axes, const AxisSet& wraps) { return {periods(e, axes), wraps}; }

}  // namespace

TEST_CASE("periodic: a block that crosses an end") {
    const Extent e{20, 6, 6};
    std::vector<Voxel> voxels;
    for (const std::int64_t x : {17, 18, 19, 0, 1})
        for (const std::int64_t y : {2, 3})
            for (const std::int64_t z : {2, 3}) voxels.push_back({x, y, z});
    const AxisSet axes{{true, false, false}};
    const SumTable table = measured(volume_of(e, voxels), e, question_of(axes));
    REQUIRE(table.size() == 1);
    CHECK(table[0].x0 == 17);
    CHECK(table[0].x1 == 21);
    CHECK(table.wraps(0) == AxisSet{});
    const World cubes{{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
    const Properties p = describe(table[0], {1, 6, 6}, cubes, wrapping(e, axes, table.wraps(0)));
    CHECK(p.centroid == std::array{19.0, 2.5, 2.5});
    CHECK(p.centroid_mm == std::array{19.0, 2.5, 2.5});
    CHECK(p.box == std::array<std::int64_t, 6>{17, 21, 2, 3, 2, 3});
    CHECK(p.axes_mm[0] == doctest::Approx(std::sqrt(2)));
    CHECK_FALSE(p.touches_border);
    CHECK(describe_shape(p, {}, std::nullopt, ShapeScale(cubes, Space::volume)).extent == 1);
}

TEST_CASE("periodic: a component that is longer than the volume") {
    const Extent e{4, 12, 1};  // a diagonal that crosses the end of x twice
    std::vector<Voxel> voxels;
    for (std::int64_t t = 0; t < 12; ++t) voxels.push_back({t % 4, t, 0});
    const AxisSet axes{{true, false, false}};
    const SumTable table = measured(volume_of(e, voxels), e, question_of(axes));
    REQUIRE(table.size() == 1);
    CHECK(table[0].x0 == 0);
    CHECK(table[0].x1 == 11);
    const Properties p = describe(table[0], e, std::nullopt, wrapping(e, axes, table.wraps(0)));
    CHECK(p.centroid[0] == 1.5);  // 5.5 - 4
    for (const std::size_t ij : {0, 1, 3}) CHECK(p.covariance[ij] == doctest::Approx((144 - 1) / 12.0));
}

TEST_CASE("periodic: components that wrap around axes have no measures along them") {
    const World skewed{{{{2, 0, 0, 0}, {0.5, 3, 0, 0}, {0, 0, 4, 1}}}};
    SUBCASE("along y, and across the end of x") {
        const Extent e{6, 4, 1};
        const AxisSet axes{{true, true, false}};
        std::vector<Voxel> voxels{{0, 2, 0}};
        for (std::int64_t y = 0; y < 4; ++y) voxels.push_back({5, y, 0});
        const SumTable table = measured(volume_of(e, voxels), e, question_of(axes, Connectivity::c4));
        REQUIRE(table.size() == 1);
        CHECK(table.wraps(0) == AxisSet{{false, true, false}});
        const Properties p = describe(table[0], {1, 1, 1}, skewed, wrapping(e, axes, table.wraps(0)));
        CHECK(p.centroid[0] == 5.2);
        CHECK(std::isnan(p.centroid[1]));
        CHECK(p.centroid[2] == 0);
        CHECK(p.centroid_mm[0] == 10.4);
        CHECK(std::isnan(p.centroid_mm[1]));
        CHECK(p.centroid_mm[2] == 1);
        CHECK(p.box == std::array<std::int64_t, 6>{5, 6, 0, 3, 0, 0});
        CHECK(p.covariance[0] == doctest::Approx(0.16));
        for (const std::size_t with_j : {1, 3, 4}) CHECK(std::isnan(p.covariance[with_j]));
        CHECK(p.covariance_mm2[0] == doctest::Approx(0.64));
        CHECK(std::isnan(p.covariance_mm2[1]));
        CHECK(p.covariance_mm2[2] == 0);
        CHECK(std::isnan(p.covariance_mm2[3]));
        for (const double value : {p.axes_mm[0], p.axes_mm[2], p.elongation, p.flatness}) CHECK(std::isnan(value));
        CHECK(p.volume_mm3 == doctest::Approx(5 * 24));
        const ShapeProperties shape = describe_shape(p, {.pairs = {}, .euler = 0}, 3.0, ShapeScale(skewed, Space::volume));
        CHECK(std::isnan(shape.extent));
        CHECK(!shape.feret_mm);
        CHECK(!shape.axes);
        CHECK(!shape.axis_lengths_mm);
        CHECK(shape.surface_mm2);
    }
    SUBCASE("a diagonal wraps around both axes") {
        const Extent e{4, 4, 1};
        const SumTable table = measured(volume_of(e, {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}), e, question_of({{true, true, false}}));
        REQUIRE(table.size() == 1);
        CHECK(table.wraps(0) == AxisSet{{true, true, false}});
    }
    SUBCASE("an axis of one voxel is not periodic") {
        const Extent e{5, 1, 3};
        const SumTable table = measured(volume_of(e, {{0, 0, 0}, {4, 0, 1}}), e, question_of({{true, true, true}}));
        REQUIRE(table.size() == 1);
        CHECK(table.wraps(0) == AxisSet{});
        CHECK(table[0].x0 == 4);
        CHECK(table[0].x1 == 5);
    }
}

TEST_CASE("periodic: only connected neighbours cross an end") {
    const Extent e{8, 1, 1};
    const AxisSet x{{true, false, false}};
    const auto with_gradient = [&](const std::vector<std::uint8_t>& values) {
        return measured(values, e, question_of(x, Connectivity::c26, Rule::gradient));
    };
    const SumTable ramp = with_gradient({1, 2, 3, 4, 5, 6, 7, 8});
    REQUIRE(ramp.size() == 1);
    CHECK(ramp.wraps(0) == AxisSet{});
    CHECK(ramp[0].x1 == 7);
    const SumTable hill = with_gradient({1, 2, 3, 4, 4, 3, 2, 1});
    REQUIRE(hill.size() == 1);
    CHECK(hill.wraps(0) == x);
    const SumTable values = measured({7, 7, 5, 5, 5, 5, 5, 7}, e, question_of(x, Connectivity::c26, Rule::equal_values));
    REQUIRE(values.size() == 2);
    CHECK(values[0].x0 == 7);
    CHECK(values[0].x1 == 9);
    CHECK(values[1].x0 == 2);
}

TEST_CASE("periodic: sections have the shifts of the flood fill") {
    std::mt19937_64 rng(9);
    for (int i = 0; i < 200; ++i) {
        const oracle::Shape s{long(1 + rng() % 9), long(1 + rng() % 7), long(1 + rng() % 6)};
        std::vector<std::uint8_t> voxels(std::size_t(s.size()));
        const auto percent = 20 + rng() % 50;
        for (auto& v : voxels) v = rng() % 100 < percent;
        block_runs::Request request;
        request.extent = {s.nx, s.ny, s.nz};
        request.connectivity = std::array{Connectivity::c6, Connectivity::c18, Connectivity::c26}[rng() % 3];
        request.periodic.axes = {rng() % 2 == 0, rng() % 2 == 0, true};
        const oracle::Labels want = oracle::flood_fill(voxels, s, number_of(request.connectivity), request.periodic.axes);
        const ForegroundPacker packer(ScalarType::u8, {});
        MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), request.extent, packer);
        ThreadPool pool(2);
        const auto labelling = block_runs::label(request, source, pool);
        REQUIRE(oracle::equal(labelling->measure(), oracle::sums_of(want, s)));
        const Sections* const sections = labelling->sections();
        if (!sections) continue;
        labelling->prepare_sections(ScalarType::u32, {});
        std::vector<std::uint32_t> numbers(voxels.size());
        labelling->paint({0, request.extent.rows()}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
        for (std::size_t v = 0; v < voxels.size(); ++v) {
            REQUIRE(sections->component_of(numbers[v]) == want.of[v]);
            REQUIRE(std::ranges::equal(sections->shift_of(numbers[v]), want.shift[v]));
        }
    }
}

TEST_CASE("periodic: sections of a selection") {
    const Sections sections{2, {{1, {1, 0, 0}}, {2, {0, 2, 0}}}, {}};
    const KeptSections second = keep_sections(sections, std::vector<std::uint64_t>{0, 1}, 1);
    CHECK(second.sections.shifted == std::vector<Section>{{1, {0, 2, 0}}});
    CHECK(second.final_numbers == std::vector<std::uint64_t>{0, 1, 0, 2});
    const KeptSections all = keep_sections(sections, {}, 2);
    CHECK(all.sections.shifted == sections.shifted);
    CHECK(all.final_numbers == std::vector<std::uint64_t>{1, 2, 3, 4});
}

TEST_CASE("periodic: intensities of sections") {
    // Values 1, 2 and 5 of the voxels x 8, 9 and 0 of 10, which become x 8, 9 and 10.
    const Extent e{10, 1, 1};
    const Sections sections{1, {{1, {1, 0, 0}}}, {}};
    const Wrapping wraps{{10, 0, 0}, {}};
    const auto check = [&]<class T>(std::type_identity<T>) {
        const std::vector<T> values{5, 0, 0, 0, 0, 0, 0, 0, 1, 2};
        const std::vector<std::uint32_t> numbers{2, 0, 0, 0, 0, 0, 0, 0, 1, 1};
        IntensitySums sums(scalar_type_of<T>());
        sums.add_row<std::uint32_t>(0, 0, numbers, std::as_bytes(std::span(values)));
        sums.unwrap(sections, e);
        const IntensityProperties p = sums.properties(1, {}, std::nullopt, wraps);
        CHECK(p.weighted_centroid[0] == 9.5);  // (8 + 18 + 50) / 8
        CHECK(p.mean == doctest::Approx(8.0 / 3));
        CHECK((*p.peak)[0] == 0);
        CHECK(sums.stored_range(2).voxels == 0);
        const IntensityProperties around = sums.properties(1, {}, std::nullopt, {{10, 0, 0}, {{true, false, false}}});
        CHECK(std::isnan(around.weighted_centroid[0]));
        CHECK(around.weighted_centroid[1] == 0);
    };
    check(std::type_identity<std::uint8_t>{});
    check(std::type_identity<double>{});
}

TEST_CASE("periodic: positions in a period") {
    CHECK(in_period(21.5, 20) == 1.5);
    CHECK(in_period(-0.5, 20) == 19.5);
    CHECK(in_period(-1e-30, 20) == 0);  // the sum with the period is rounded to the period
    CHECK(in_period(-3.5, 0) == -3.5);
}

TEST_CASE("periodic: shifts do not depend on the order of joins") {
    struct Join {
        std::size_t a, b;
        ShiftedSets::Step step;
    };
    std::mt19937_64 rng(11);
    for (int i = 0; i < 100; ++i) {
        const std::size_t ids = 2 + rng() % 12;
        std::vector<Join> joins(rng() % 16);
        for (Join& join : joins) join = {rng() % ids, rng() % ids, {int(rng() % 3) - 1, int(rng() % 2), 0}};
        const auto unwrapped = [&] {
            ShiftedSets sets(ids);
            for (const Join& join : joins) sets.join(join.a, join.b, join.step);
            return std::move(sets).unwrap();
        };
        const ShiftedSets::Unwrapped first = unwrapped();
        std::ranges::shuffle(joins, rng);
        for (Join& join : joins)
            if (rng() % 2) join = {join.b, join.a, {-join.step[0], -join.step[1], -join.step[2]}};
        const ShiftedSets::Unwrapped second = unwrapped();
        CHECK(first.root == second.root);
        CHECK(first.shift == second.shift);
        for (std::size_t id = 0; id < ids; ++id)
            if (first.root[id] == id) CHECK(first.wraps[id] == second.wraps[id]);
    }
}

TEST_CASE("periodic: indices of unwrapped components have 32 bits") {
    CHECK(voxels_of({1, 0, 2}, {10, 10, 20}) == std::array<std::int64_t, 3>{10, 0, 40});
    CHECK(voxels_of({2, 0, 0}, {1 << 30, 1, 1})[0] == std::int64_t{1} << 31);
    CHECK_THROWS_AS(voxels_of({3, 0, 0}, {1 << 30, 1, 1}), Error);
    CHECK_THROWS_AS(voxels_of({1, 0, 0}, {std::int64_t{1} << 31, 1, 1}), Error);
}
