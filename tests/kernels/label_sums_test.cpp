// Tests the sums of labels in a label volume against sums that are added voxel by voxel.
#include <voxcc/contacts.h>
#include <voxcc/measure.h>
#include <voxcc/source.h>
#include "kernels/instruction_sets.h"

#include <doctest/doctest.h>
#include <map>
#include <random>

using namespace voxcc;

namespace {

WideSums of_voxel(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    WideSums one{{1, x, y, z, uint128(x) * x, uint128(y) * y, uint128(z) * z, uint128(x) * y, uint128(x) * z, uint128(y) * z}};
    one.x0 = one.x1 = std::uint32_t(x), one.y0 = one.y1 = std::uint32_t(y), one.z0 = one.z1 = std::uint32_t(z);
    return one;
}

void check_against_voxels(const Extent& e, const std::vector<std::uint64_t>& volume, const Extent& declared) {
    LabelSums sums(declared);
    std::vector<std::uint32_t> numbers(std::size_t(e.nx));
    std::map<std::uint64_t, WideSums> expected;
    std::vector<std::uint64_t> order;
    WideSums background;
    for (std::int64_t row = 0; row < e.rows(); ++row) {
        const auto labels = std::span(volume).subspan(std::size_t(row * e.nx), std::size_t(e.nx));
        sums.add_row(row % e.ny, row / e.ny, labels, numbers);
        for (std::size_t x = 0; x < labels.size(); ++x) {
            if (labels[x] == 0) {
                REQUIRE(numbers[x] == 0);
                background.add(of_voxel(x, std::uint64_t(row % e.ny), std::uint64_t(row / e.ny)));
                continue;
            }
            if (!expected.contains(labels[x])) order.push_back(labels[x]);
            expected[labels[x]].add(of_voxel(x, std::uint64_t(row % e.ny), std::uint64_t(row / e.ny)));
            REQUIRE(sums.labels().at(numbers[x] - 1) == labels[x]);
        }
    }
    CHECK(sums.labels() == order);
    for (std::size_t i = 0; i < order.size(); ++i) REQUIRE((sums[i] == expected[order[i]]));
    if (declared == e) CHECK((sums.background() == background));
}

}  // namespace

TEST_CASE("sums of labels equal sums that are added voxel by voxel") {
    std::mt19937_64 random(4);
    const std::vector<std::uint64_t> palette{
        0, 0, 1, 2, 255, 4194303, 4194304, 9007199254740993u, 9007199254740992u, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    for (const Extent e : {Extent{1, 1, 1}, Extent{50, 9, 7}, Extent{300, 3, 1}, Extent{1, 40, 30}})
        for (const std::uint64_t longest_run : {1, 5, 400}) {
            std::vector<std::uint64_t> volume;
            while (volume.size() < std::size_t(e.voxels()))
                volume.insert(volume.end(), 1 + random() % longest_run, palette[random() % palette.size()]);
            volume.resize(std::size_t(e.voxels()));
            check_against_voxels(e, volume, e);
            check_against_voxels(e, volume, {100'000, 100'000, 100'000});  // this extent needs wide moments
        }
}

TEST_CASE("a volume of background has no labels") {
    LabelSums sums({4, 1, 1});
    std::vector<std::uint32_t> numbers(4, 9);
    sums.add_row(0, 0, std::vector<std::uint64_t>(4, 0), numbers);
    CHECK(sums.labels().empty());
    CHECK(numbers == std::vector<std::uint32_t>(4, 0));
}

TEST_CASE("moments beyond 64 bits are exact for extents that need them") {
    constexpr std::uint64_t y = 4'294'967'294u, z = 1023;
    LabelSums sums({1 << 20, 4'294'967'295, 1024});
    const std::vector<std::uint64_t> row(1 << 20, 3);
    std::vector<std::uint32_t> numbers(row.size());
    for (int i = 0; i < 3; ++i) sums.add_row(std::int64_t(y), std::int64_t(z), row, numbers);
    uint128 xx = 0, x_sum = 0;
    for (std::uint64_t x = 0; x < row.size(); ++x) xx += uint128(x) * x, x_sum += x;
    const uint128 n = 3 * uint128(row.size());
    const WideSums got = sums[0];
    CHECK(got.n == std::uint64_t(n));
    CHECK((got.xx == 3 * xx));
    CHECK((got.yy == n * y * y));
    CHECK((got.xz == 3 * x_sum * z));
    CHECK((got.yz == n * y * z));
}

TEST_CASE("moments of one long row are exact up to the limit of 64 bits") {
    const Extent extent{2'642'245, 1, 1};
    REQUIRE(second_moments_fit(extent));
    LabelSums sums(extent);
    const std::vector<std::uint64_t> row(std::size_t(extent.nx), 1);
    std::vector<std::uint32_t> numbers(row.size());
    sums.add_row(0, 0, row, numbers);
    uint128 xx = 0;
    for (std::uint64_t x = 0; x < row.size(); ++x) xx += uint128(x) * x;
    CHECK((sums[0].xx == xx));
}

TEST_CASE("many labels, small and large") {
    LabelSums sums({2'000, 100, 1});
    std::vector<std::uint32_t> numbers(2'000);
    std::vector<std::uint64_t> row(2'000);
    for (std::int64_t y = 0; y < 100; ++y) {
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = 1 + (std::uint64_t(y) * 2'000 + x) * (y % 2 ? 1 : 1'000'003);
        sums.add_row(y, 0, row, numbers);
    }
    std::uint64_t voxels = 0;
    for (std::size_t i = 0; i < sums.labels().size(); ++i) voxels += sums[i].n;
    CHECK(voxels == 200'000);
    CHECK(sums.labels().size() == 200'000);
}

TEST_CASE("sums on several threads equal sums on one thread, with the same numbers") {
    const Extent e{37, 11, 9};
    std::mt19937 random(8);
    std::vector<std::int16_t> volume(std::size_t(e.voxels()));
    for (std::int16_t& label : volume) label = std::int16_t(int(random() % 40) - 20);
    LabelSums expected(e);
    std::vector<std::uint64_t> row(std::size_t(e.nx));
    std::vector<std::uint32_t> numbers(row.size());
    for (std::int64_t r = 0; r < e.rows(); ++r) {
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = std::uint64_t(std::int64_t(volume[std::size_t(r * e.nx) + x]));
        expected.add_row(r % e.ny, r / e.ny, row, numbers);
    }
    const ForegroundPacker packer(ScalarType::i16, {});
    StridedSource source(view(volume.data(), e), packer);
    for (const int threads : {1, 2, 5, 200}) {
        ThreadPool pool(threads);
        const LabelSums sums = sum_labels(source, e, pool);
        REQUIRE(sums.labels() == expected.labels());
        for (std::size_t i = 0; i < sums.labels().size(); ++i) REQUIRE((sums[i] == expected[i]));
        CHECK((sums.background() == expected.background()));
    }
    struct InOrder : StridedSource {
        using StridedSource::StridedSource;
        std::int64_t next = 0;
        Access access() const override { return Access::in_order; }
        std::int64_t rows_per_fetch() const override { return 4; }
        const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
            CHECK(rows.first == next);
            next = rows.end();
            if (next > 90) throw Error(ErrorKind::invalid_file, "file", "cut short");
            return StridedSource::fetch(rows, buffer);
        }
    };
    for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        const Extent part{e.nx, e.ny, 8};  // 88 rows
        InOrder in_order(view(volume.data(), part), packer), cut_short(view(volume.data(), e), packer);
        const LabelSums sums = sum_labels(in_order, part, pool), whole = sum_labels(source, part, pool);
        CHECK(in_order.next == part.rows());
        REQUIRE(sums.labels().size() == whole.labels().size());
        for (std::size_t i = 0; i < sums.labels().size(); ++i) {
            const auto at = std::find(whole.labels().begin(), whole.labels().end(), sums.labels()[i]) - whole.labels().begin();
            CHECK((sums[i] == whole[std::size_t(at)]));
        }
        CHECK((sums.background() == whole.background()));
        CHECK_THROWS_AS(sum_labels(cut_short, e, pool), Error);
    }
    const ForegroundPacker floats(ScalarType::f32, {});
    const std::vector<float> wrong(8);
    StridedSource not_labels(view(wrong.data(), {8, 1, 1}), floats);
    ThreadPool pool(1);
    CHECK_THROWS_AS(sum_labels(not_labels, {8, 1, 1}, pool), Error);
}

TEST_CASE("sums that are added by label equal sums of rows") {
    for (const Extent& e : {Extent{5, 1, 1}, Extent{5, 1 << 20, 1 << 20}}) {
        LabelSums rows(e), parts(e);
        const std::vector<std::uint64_t> labels{7, 7, 0, ~std::uint64_t{0}, 7};
        std::vector<std::uint32_t> numbers(labels.size());
        rows.add_row(0, 0, labels, numbers);
        const auto voxel = [](std::uint32_t x) { return WideSums{{1, x, 0, 0, uint128(x) * x, 0, 0, 0, 0, 0}, x, 0, 0, x, 0, 0}; };
        parts.add(~std::uint64_t{0}, voxel(3));
        for (const std::uint32_t x : {4u, 0u, 1u}) parts.add(7, voxel(x));
        REQUIRE(parts.labels() == std::vector<std::uint64_t>{~std::uint64_t{0}, 7});
        CHECK((parts[0] == rows[1]));
        CHECK((parts[1] == rows[0]));
    }
}

TEST_CASE("sums are the same with every instruction set, for words of one label and of several") {
    const Extent e{200, 12, 5};
    std::mt19937 random(9);
    std::vector<std::uint16_t> volume(std::size_t(e.voxels()));
    for (std::size_t i = 0; i < volume.size(); ++i) volume[i] = random() % 3 == 0 ? 0 : i % 4000 < 3000 ? 7 : std::uint16_t(i % 5);
    const ForegroundPacker packer(ScalarType::u16, {});
    StridedSource source(view(volume.data(), e), packer);
    ThreadPool pool(1);
    std::vector<std::uint64_t> wide(volume.begin(), volume.end());
    check_against_voxels(e, wide, e);
    const Isa usual = default_isa();
    const LabelSums expected = sum_labels(source, e, pool);
    for (const Isa isa : instruction_sets()) {
        set_default_isa(isa);
        const LabelSums sums = sum_labels(source, e, pool);
        REQUIRE(sums.labels() == expected.labels());
        for (std::size_t i = 0; i < sums.labels().size(); ++i) CHECK((sums[i] == expected[i]));
    }
    set_default_isa(usual);
}
