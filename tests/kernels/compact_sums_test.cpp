// Tests CompactSums against sums that are added voxel by voxel.
#include "kernels3d/measure/compact_sums.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

template <class Wide>
Sums<Wide> of_voxel(const Place& p) {
    const Wide x = p.x, y = p.y, z = p.z;
    return {{1, p.x, p.y, p.z, x * x, y * y, z * z, x * y, x * z, y * z}, p.x, p.y, p.z, p.x, p.y, p.z};
}

NearSums near_voxel(std::int32_t x, std::int32_t y, std::int32_t z) {
    return {{1, x, y, z, x * x, y * y, z * z, x * y, x * z, y * z}, x, y, z, x, y, z};
}

/// A table with one row, and the expected sums of this row.
template <class Wide>
struct Pair {
    CompactSums<Wide> table{1, 1};
    typename CompactSums<Wide>::Writer writer{table, 0, 0};
    Sums<Wide> want;
    void add(const Place& at) { writer.add(0, of_voxel<Wide>(at)), want.add(of_voxel<Wide>(at)); }
    void add_near(const Place& at, std::int32_t x, std::int32_t y, std::int32_t z) {
        writer.add(0, near_voxel(x, y, z), at);
        want.add(of_voxel<Wide>({at.x + std::uint32_t(x), at.y + std::uint32_t(y), at.z + std::uint32_t(z)}));
    }
    bool equal() const { return table[0] == want && table.voxels(0) == want.n; }
};

}  // namespace

TEST_CASE_TEMPLATE("compact sums: few and many voxels, near to a place and far from it", Wide, std::uint64_t, uint128) {
    // Limits of the coordinates that a compact place stores, and of the distances that count as near.
    const Place places[] = {{0, 0, 0},
                            {40, 50, 60},
                            {(1u << 24) - 1, 7, 9},
                            {1u << 24, 7, 9},
                            {7, (1u << 20) - 1, 9},
                            {7, 1u << 20, 9},
                            {7, 9, (1u << 20) - 1},
                            {7, 9, 1u << 20},
                            {4'000'000, 900'000, 800'000}};
    for (const Place& at : places)
        for (const int reach : {0, 1, 15, 16, 17, 31, 63, 64, 65, 200})
            for (const int voxels : {1, 2, NearSums::most - 1, NearSums::most, NearSums::most + 1, 300}) {
                Pair<Wide> pair;
                std::uint64_t draw = std::uint64_t(reach * 1000 + voxels) + at.x;
                const auto near = [&](std::uint32_t from) {
                    draw = draw * 6364136223846793005u + 1442695040888963407u;
                    const auto d = std::int64_t(draw >> 33) % (2 * reach + 1) - reach;
                    return std::uint32_t(std::max<std::int64_t>(0, std::int64_t(from) + d));
                };
                for (int i = 0; i < voxels; ++i) {
                    const Place voxel{near(at.x), near(at.y), near(at.z)};
                    if (i % 2) pair.add(voxel);
                    else pair.add_near(voxel, 0, 0, 0);
                }
                CAPTURE(at.x);
                CAPTURE(at.y);
                CAPTURE(at.z);
                CAPTURE(reach);
                CAPTURE(voxels);
                REQUIRE(pair.equal());
            }
}

TEST_CASE("compact sums: distances close to 2^32 are not near") {
    Pair<uint128> pair;
    pair.add({0, 0, 0});
    pair.add({~0u - 1, 0, 0});
    CHECK(pair.equal());
}

TEST_CASE("compact sums: sums relative to a place, and parts of many voxels") {
    Pair<std::uint64_t> pair;
    for (int z = 0; z < 2; ++z)
        for (int y = 0; y < 2; ++y)
            for (int x = -1; x < 8; ++x) pair.add_near({100, 200, 300}, x, y, z);
    CHECK(pair.equal());
    for (std::uint32_t far = 0; far < 40; ++far) {  // rows at increasing distance
        Sums<std::uint64_t> row;
        for (std::uint32_t x = 90; x < 106; ++x) row.add(of_voxel<std::uint64_t>({x, 200 + far, 300}));
        pair.writer.add(0, row), pair.want.add(row);
        CHECK(pair.equal());
    }
}

TEST_CASE("compact sums: rows of several writers in any order, and later additions") {
    constexpr std::size_t components = 5000;
    CompactSums<std::uint64_t> table(components, 2);
    std::vector<Sums<std::uint64_t>> want(components);
    for (std::size_t writer = 0; writer < 2; ++writer) {
        const std::size_t first = writer * components / 2;
        CompactSums<std::uint64_t>::Writer rows(table, writer, first);
        for (std::size_t i = 0; i < components / 2; ++i) {
            const std::size_t row = first + (i ^ 3);  // 3, 2, 1, 0, 7, 6, 5, 4, ...
            for (std::uint32_t n = 0; n <= i % 200; ++n) {
                const auto voxel = of_voxel<std::uint64_t>({std::uint32_t(row) + n, std::uint32_t(i), 1});
                rows.add(row, voxel), want[row].add(voxel);
            }
        }
    }
    for (std::size_t row = 0; row < components; row += 3) {
        const auto voxel = of_voxel<std::uint64_t>({1, 2, std::uint32_t(row % 30)});
        table.add(row, voxel), want[row].add(voxel);
    }
    REQUIRE(table.size() == components);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < components; ++row) wrong += !(table[row] == want[row]) || table.voxels(row) != want[row].n;
    CHECK(wrong == 0);
}
