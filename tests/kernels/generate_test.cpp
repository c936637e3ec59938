// Tests the generated volumes: shapes, shares of foreground, numbers of components, and errors.
#include <voxcc/source.h>

#include "kernels/volumes.h"
#include "kernels3d/test_volumes/draws.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <vector>

using namespace voxcc;
using volumes::made;

namespace {

/// Whether a step leads to a neighbour.
bool joins(Connectivity c, int dx, int dy, int dz) {
    const int axes = dx * dx + dy * dy + dz * dz;
    switch (c) {
        case Connectivity::c4: return axes == 1 && dz == 0;
        case Connectivity::c8: return axes > 0 && dz == 0;
        case Connectivity::c6: return axes == 1;
        case Connectivity::c18: return axes == 1 || axes == 2;
        default: return axes > 0;
    }
}

std::uint64_t flood_count(std::vector<std::uint8_t> volume, const Extent& e, Connectivity c) {
    std::uint64_t components = 0;
    std::vector<std::array<std::int64_t, 3>> stack;
    const auto take = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        if (x < 0 || y < 0 || z < 0 || x >= e.nx || y >= e.ny || z >= e.nz) return false;
        std::uint8_t& voxel = volume[std::size_t((z * e.ny + y) * e.nx + x)];
        if (voxel == 0) return false;
        voxel = 0;
        stack.push_back({x, y, z});
        return true;
    };
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x) {
                if (!take(x, y, z)) continue;
                ++components;
                while (!stack.empty()) {
                    const auto [vx, vy, vz] = stack.back();
                    stack.pop_back();
                    for (int d = 0; d < 27; ++d)
                        if (const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1; joins(c, dx, dy, dz))
                            take(vx + dx, vy + dy, vz + dz);
                }
            }
    return components;
}

std::int64_t set_voxels(const std::vector<std::uint8_t>& volume) {
    std::int64_t count = 0;
    for (const std::uint8_t v : volume) {
        REQUIRE(v <= 1);
        count += v;
    }
    return count;
}

constexpr std::array all_connectivities{Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26};

std::uint64_t fnv(const std::vector<std::uint8_t>& bytes) {
    std::uint64_t hash = 14695981039346656037u;
    for (const std::uint8_t b : bytes) hash = (hash ^ b) * 1099511628211u;
    return hash;
}

}  // namespace

TEST_CASE("stated component counts equal a flood fill, for every small shape") {
    for (const TestVolumeKind kind : {TestVolumeKind::checkerboard, TestVolumeKind::solid, TestVolumeKind::spiral})
        for (std::int64_t nz = 1; nz <= 6; ++nz)
            for (std::int64_t ny = 1; ny <= 11; ++ny)
                for (std::int64_t nx = 1; nx <= 11; ++nx) {
                    const TestVolumeRecipe recipe{.kind = kind, .extent = {nx, ny, nz}};
                    const auto volume = made(recipe);
                    for (const Connectivity c : all_connectivities) {
                        CAPTURE(int(kind));
                        CAPTURE(nx);
                        CAPTURE(ny);
                        CAPTURE(nz);
                        CAPTURE(number_of(c));
                        REQUIRE(known_components(recipe, c) == flood_count(volume, recipe.extent, c));
                    }
                }
}

TEST_CASE("stated component counts of a checkerboard of blocks equal a flood fill") {
    for (const int granularity : {2, 3, 5})
        for (std::int64_t nz = 1; nz <= 7; ++nz)
            for (std::int64_t ny = 1; ny <= 7; ny += 2)
                for (std::int64_t nx = 1; nx <= 11; ++nx) {
                    const TestVolumeRecipe recipe{.kind = TestVolumeKind::checkerboard, .extent = {nx, ny, nz}, .granularity = granularity};
                    const auto volume = made(recipe);
                    for (const Connectivity c : all_connectivities) {
                        CAPTURE(granularity);
                        CAPTURE(nx);
                        CAPTURE(ny);
                        CAPTURE(nz);
                        CAPTURE(number_of(c));
                        REQUIRE(known_components(recipe, c) == flood_count(volume, recipe.extent, c));
                    }
                }
}

TEST_CASE("pieces of rows in any order are the voxels of the volume, for every kind") {
    const Extent flat{32, 32, 9}, odd{37, 29, 11}, cube{24, 24, 24};
    const std::vector<TestVolumeRecipe> recipes{
        {.kind = TestVolumeKind::hilbert, .extent = cube, .order = 3},
        {.kind = TestVolumeKind::random, .extent = odd, .granularity = 4},
        {.kind = TestVolumeKind::random, .extent = odd, .generator = Generator::mt19937},
        {.kind = TestVolumeKind::random, .extent = odd, .granularity = 3, .generator = Generator::splitmix64},
        {.kind = TestVolumeKind::blobs, .extent = odd, .scale = 2},
        {.kind = TestVolumeKind::blobs, .extent = odd, .scale = 2, .tile = 13},
        {.kind = TestVolumeKind::checkerboard, .extent = odd, .granularity = 5},
        {.kind = TestVolumeKind::checkerboard, .extent = odd},
        {.kind = TestVolumeKind::solid, .extent = odd},
        {.kind = TestVolumeKind::spiral, .extent = odd},
        {.kind = TestVolumeKind::zigzag_spiral, .extent = odd},
        {.kind = TestVolumeKind::dry_earth, .extent = odd},
        {.kind = TestVolumeKind::ridge, .extent = flat, .ridge = {.family = RidgeFamily::random_merging, .level = 2, .subdivisions = 2}},
        {.kind = TestVolumeKind::ridge,
         .extent = flat,
         .ridge = {.family = RidgeFamily::random_instancing, .level = 1, .subdivisions = 3}}};
    std::mt19937_64 rng(4);
    for (const TestVolumeRecipe& recipe : recipes) {
        const Extent& e = recipe.extent;
        const auto all = made(recipe);
        const auto volume = make_test_volume(recipe);
        std::vector<std::uint8_t> piece;
        for (int draw = 0; draw < 300; ++draw) {
            const std::int64_t x = std::int64_t(rng() % std::uint64_t(e.nx)), y = std::int64_t(rng() % std::uint64_t(e.ny)),
                               z = std::int64_t(rng() % std::uint64_t(e.nz));
            piece.assign(std::size_t(1 + std::int64_t(rng() % std::uint64_t(e.nx - x))), 7);
            volume->fill(x, y, z, piece);
            CAPTURE(int(recipe.kind));
            REQUIRE(std::equal(piece.begin(), piece.end(), all.begin() + (z * e.ny + y) * e.nx + x));
        }
    }
}

TEST_CASE("SplitMix64 has the published numbers, and draws in raster order of the blocks") {
    constexpr std::array numbers{6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
                                 16408922859458223821u};
    SplitMix64 draw(1234567), later(1234567);
    for (const std::uint64_t number : numbers) CHECK(draw() == number);
    later.discard(3);
    CHECK(later() == numbers[3]);

    const Extent e{7, 5, 3};
    const auto volume = made(
        {.kind = TestVolumeKind::random, .extent = e, .density = 0.3, .granularity = 2, .seed = 9, .generator = Generator::splitmix64});
    SplitMix64 decisions(9);
    for (std::int64_t z = 0; z < 2; ++z)
        for (std::int64_t y = 0; y < 3; ++y)
            for (std::int64_t x = 0; x < 4; ++x)
                REQUIRE(volume[std::size_t((2 * z * e.ny + 2 * y) * e.nx + 2 * x)] == (double(decisions()) < std::ldexp(0.3, 64)));
    CHECK(set_voxels(made({.kind = TestVolumeKind::random, .extent = e, .density = 1, .generator = Generator::splitmix64})) == e.voxels());
    CHECK(set_voxels(made({.kind = TestVolumeKind::random, .extent = e, .density = 0, .generator = Generator::splitmix64})) == 0);
}

TEST_CASE("blobs with a tile repeat it, and need its memory only") {
    const Extent e{40, 25, 12};
    const TestVolumeRecipe tiled{.kind = TestVolumeKind::blobs, .extent = e, .density = 0.4, .scale = 2, .tile = 16, .seed = 3};
    TestVolumeRecipe tile = tiled;
    tile.extent = {16, 16, 12};
    const auto volume = made(tiled), one = made(tile);
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x)
                REQUIRE(volume[std::size_t((z * e.ny + y) * e.nx + x)] == one[std::size_t((z * 16 + y % 16) * 16 + x % 16)]);
    CHECK(test_volume_bytes(tiled) == 4 * 16 * 16 * 12);
    CHECK(test_volume_bytes({.kind = TestVolumeKind::blobs, .extent = e}) == 4 * e.voxels());
}

TEST_CASE("a spiral is a path one voxel wide with gaps of one voxel") {
    const std::vector<std::uint8_t> expected{1, 1, 1, 1, 1, 1, 1,  //
                                             0, 0, 0, 0, 0, 0, 1,  //
                                             1, 1, 1, 1, 1, 0, 1,  //
                                             1, 0, 0, 0, 1, 0, 1,  //
                                             1, 0, 1, 1, 1, 0, 1,  //
                                             1, 0, 0, 0, 0, 0, 1,  //
                                             1, 1, 1, 1, 1, 1, 1};
    CHECK(made({.kind = TestVolumeKind::spiral, .extent = {7, 7, 1}}) == expected);
    // In a path, every voxel has two 6-neighbours, except the two ends, which have one.
    for (const Extent e : {Extent{16, 12, 9}, Extent{9, 31, 7}, Extent{5, 5, 5}, Extent{2, 8, 3}, Extent{1, 1, 5}, Extent{6, 2, 7}}) {
        const auto volume = made({.kind = TestVolumeKind::spiral, .extent = e});
        const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return x >= 0 && y >= 0 && z >= 0 && x < e.nx && y < e.ny && z < e.nz ? int(volume[std::size_t((z * e.ny + y) * e.nx + x)]) : 0;
        };
        int ends = 0;
        for (std::int64_t z = 0; z < e.nz; ++z)
            for (std::int64_t y = 0; y < e.ny; ++y)
                for (std::int64_t x = 0; x < e.nx; ++x) {
                    if (!at(x, y, z)) continue;
                    const int neighbours =
                        at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
                    REQUIRE((neighbours == 1 || neighbours == 2));
                    ends += neighbours == 1;
                }
        CHECK(ends == 2);
    }
}

TEST_CASE("a zigzag spiral is one component in every slice") {
    const std::vector<std::uint8_t> expected{1, 0, 0, 0, 0, 0, 0, 1, 1, 0,  //
                                             1, 1, 0, 0, 0, 0, 1, 1, 0, 0,  //
                                             0, 1, 1, 0, 0, 1, 1, 0, 0, 0,  //
                                             0, 0, 1, 1, 1, 1, 0, 0, 0, 0,  //
                                             0, 0, 0, 1, 1, 0, 0, 0, 0, 0,  //
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    auto volume = made({.kind = TestVolumeKind::zigzag_spiral, .extent = {17, 8, 1}});
    for (std::int64_t y = 0; y < 8; ++y)
        for (std::int64_t x = 0; x < 10; ++x) REQUIRE(volume[std::size_t(17 * y + x)] == expected[std::size_t(10 * y + x)]);
    for (const std::int64_t nx : {8, 9, 15, 16, 24, 33, 47, 64, 71})
        for (const std::int64_t ny : {8, 13, 16, 23, 24, 40, 56, 65})
            for (const std::int64_t nz : {1, 3})
                for (const Connectivity c : all_connectivities) {
                    CAPTURE(nx);
                    CAPTURE(ny);
                    const TestVolumeRecipe recipe{.kind = TestVolumeKind::zigzag_spiral, .extent = {nx, ny, nz}};
                    volume = made(recipe);
                    REQUIRE(known_components(recipe, c) == flood_count(volume, recipe.extent, c));
                }
}

TEST_CASE("dry earth: plates are the pixels whose later neighbours have the same nearest site") {
    const Extent e{150, 70, 2};
    const auto volume = made({.kind = TestVolumeKind::dry_earth, .extent = e, .seed = 9});
    std::mt19937_64 draw(9);
    std::vector<std::pair<int, int>> sites;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 5; ++i) {
            const std::uint64_t bits = draw();
            sites.push_back({32 * i + int(bits & 31), 32 * j + int(bits >> 5 & 31)});
        }
    const auto nearest = [&](int x, int y) {
        const auto distance = [&](const auto& site) { return (x - site.first) * (x - site.first) + (y - site.second) * (y - site.second); };
        return std::min_element(sites.begin(), sites.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    };
    const auto at = [&](int x, int y) { return volume[std::size_t(150 * y + x)]; };
    int cracks = 0;
    for (int y = 0; y < 70; ++y)
        for (int x = 0; x < 150; ++x) {
            const auto site = nearest(x, y);
            bool crack = false;
            for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 1}, {0, 1}, {1, 1}})
                if (x + dx >= 0 && x + dx < 150) crack = crack || nearest(x + dx, y + dy) != site;
            REQUIRE(at(x, y) == (crack ? 0 : 1));
            REQUIRE(volume[std::size_t(150 * (70 + y) + x)] == at(x, y));
            cracks += crack;
        }
    CHECK(cracks < 150 * 70 / 5);  // cracks are thin
    CHECK(flood_count(volume, e, Connectivity::c26) >= 10);
}

TEST_CASE("random volumes take the draws of the chosen generator in raster order") {
    // The first draws with the seed 5489, as in the publications of the generators: 3499211612, 581869302, 3890346734, 3586334585,
    // 545404204 (32 bits); 14514284786278117030, 4620546740167642908, 13109570281517897720, 17462938647148434322, 355488278567739596 (64
    // bits).
    const auto with = [](Generator generator) {
        return made({.kind = TestVolumeKind::random, .extent = {5, 1, 1}, .density = 0.2, .seed = 5489, .generator = generator});
    };
    CHECK(with(Generator::mt19937) == std::vector<std::uint8_t>{0, 1, 0, 0, 1});
    CHECK(with(Generator::mt19937_64) == std::vector<std::uint8_t>{0, 0, 0, 0, 1});
    for (const double density : {0.0, 1.0})
        CHECK(set_voxels(
                  made({.kind = TestVolumeKind::random, .extent = {40, 30, 20}, .density = density, .generator = Generator::mt19937})) ==
              std::int64_t(density * 24000));
}

TEST_CASE("a Hilbert curve of any order and size is one component through all its points") {
    for (int order = 1; order <= 4; ++order)
        for (const std::int64_t size : {1 << order, (1 << order) + 1, 2 << order, 3 << order, (2 << order) + 3, 37}) {
            if (size < 1 << order) continue;
            CAPTURE(order);
            CAPTURE(size);
            const TestVolumeRecipe recipe{.kind = TestVolumeKind::hilbert, .extent = {size, size, size}, .order = order};
            const auto volume = made(recipe);
            for (const Connectivity c : {Connectivity::c6, Connectivity::c26}) REQUIRE(flood_count(volume, recipe.extent, c) == 1);
            CHECK(known_components(recipe, Connectivity::c6) == 1);
            // All steps have the same length, size >> order: (cells - 1) segments of this many voxels, and the last voxel.
            if (size % (1 << order) == 0) CHECK(set_voxels(volume) == ((std::int64_t{1} << 3 * order) - 1) * (size >> order) + 1);
        }
}

TEST_CASE("a Hilbert curve does not touch itself") {
    // A path without cycles has one pair of 6-neighbours fewer than voxels.
    const Extent e{48, 48, 48};
    const auto volume = made({.kind = TestVolumeKind::hilbert, .extent = e, .order = 4});
    std::int64_t pairs = 0;
    for (std::int64_t i = 0; i < e.voxels(); ++i) {
        if (!volume[std::size_t(i)]) continue;
        const std::int64_t x = i % e.nx, y = i / e.nx % e.ny, z = i / e.nx / e.ny;
        pairs += x + 1 < e.nx && volume[std::size_t(i + 1)];
        pairs += y + 1 < e.ny && volume[std::size_t(i + e.nx)];
        pairs += z + 1 < e.nz && volume[std::size_t(i + e.nx * e.ny)];
    }
    CHECK(pairs == set_voxels(volume) - 1);
}

TEST_CASE("random volumes: blocks of equal voxels, the requested share, equal for equal seeds") {
    const Extent e{45, 38, 27};
    for (const int granularity : {1, 2, 3, 16}) {
        const TestVolumeRecipe recipe{.kind = TestVolumeKind::random, .extent = e, .density = 0.3, .granularity = granularity, .seed = 5};
        const auto volume = made(recipe);
        CHECK(volume == made(recipe));
        for (std::int64_t i = 0; i < e.voxels(); ++i) {
            const std::int64_t x = i % e.nx, y = i / e.nx % e.ny, z = i / e.nx / e.ny, g = granularity;
            const std::int64_t block = ((z - z % g) * e.ny + y - y % g) * e.nx + x - x % g;
            REQUIRE(volume[std::size_t(i)] == volume[std::size_t(block)]);
        }
        if (granularity == 1) CHECK(std::abs(double(set_voxels(volume)) / double(e.voxels()) - 0.3) < 0.01);
    }
    CHECK(set_voxels(made({.kind = TestVolumeKind::random, .extent = e, .density = 0})) == 0);
    CHECK(set_voxels(made({.kind = TestVolumeKind::random, .extent = e, .density = 1})) == e.voxels());
    CHECK(made({.kind = TestVolumeKind::random, .extent = e, .seed = 1}) != made({.kind = TestVolumeKind::random, .extent = e, .seed = 2}));
}

TEST_CASE("the bytes of seeded volumes are the same on every machine") {
    const Extent e{40, 30, 20};
    CHECK(fnv(made({.kind = TestVolumeKind::random, .extent = e, .density = 0.4, .granularity = 2, .seed = 7})) == 3655335738618836029u);
    CHECK(fnv(made({.kind = TestVolumeKind::blobs, .extent = e, .density = 0.4, .scale = 3, .seed = 7})) == 9840009381925464985u);
}

TEST_CASE("blobs: the requested share, smoother at a larger scale, equally along all axes") {
    const Extent e{64, 64, 64};
    double last_changes = 1e9;
    for (const double scale : {1.0, 3.0, 8.0}) {
        const auto volume = made({.kind = TestVolumeKind::blobs, .extent = e, .density = 0.25, .scale = scale, .seed = 3});
        CHECK(std::abs(double(set_voxels(volume)) / double(e.voxels()) - 0.25) < 1e-4);
        std::array<double, 3> changes{};  // number of faces between foreground and background, per axis
        for (std::int64_t i = 0; i < e.voxels(); ++i) {
            const std::int64_t x = i % e.nx, y = i / e.nx % e.ny, z = i / e.nx / e.ny;
            changes[0] += x + 1 < e.nx && volume[std::size_t(i + 1)] != volume[std::size_t(i)];
            changes[1] += y + 1 < e.ny && volume[std::size_t(i + e.nx)] != volume[std::size_t(i)];
            changes[2] += z + 1 < e.nz && volume[std::size_t(i + e.nx * e.ny)] != volume[std::size_t(i)];
        }
        const double mean = (changes[0] + changes[1] + changes[2]) / 3;
        for (const double c : changes) CHECK(std::abs(c / mean - 1) < 0.25);
        CHECK(mean < last_changes / 1.8);
        last_changes = mean;
    }
}

TEST_CASE("blobs of any shape and density") {
    for (const Extent e : {Extent{1, 1, 1}, Extent{1, 50, 1}, Extent{60, 40, 1}, Extent{3, 3, 3}, Extent{5, 300, 2}})
        for (const double density : {0.0, 0.3, 1.0}) {
            const auto volume = made({.kind = TestVolumeKind::blobs, .extent = e, .density = density, .scale = 8});
            CHECK(set_voxels(volume) == std::llround(density * double(e.voxels())));
        }
}

TEST_CASE("recipes that cannot be made are usage errors") {
    const std::vector<TestVolumeRecipe> recipes{
        {.kind = TestVolumeKind::solid, .extent = {0, 1, 1}},
        {.kind = TestVolumeKind::solid, .extent = {1, -1, 1}},
        {.kind = TestVolumeKind::solid, .extent = {std::int64_t{1} << 40, std::int64_t{1} << 40, 1}},
        {.kind = TestVolumeKind::zigzag_spiral, .extent = {8, 7, 1}},
        {.kind = TestVolumeKind::hilbert, .extent = {8, 8, 8}, .order = 4},
        {.kind = TestVolumeKind::hilbert, .extent = {8, 8, 8}, .order = 0},
        {.kind = TestVolumeKind::hilbert, .extent = {2048, 2048, 2048}, .order = 11},
        {.kind = TestVolumeKind::hilbert, .extent = {16, 16, 8}, .order = 2},
        {.kind = TestVolumeKind::random, .extent = {8, 8, 8}, .density = 1.5},
        {.kind = TestVolumeKind::random, .extent = {8, 8, 8}, .density = std::nan("")},
        {.kind = TestVolumeKind::random, .extent = {8, 8, 8}, .granularity = 0},
        {.kind = TestVolumeKind::checkerboard, .extent = {8, 8, 8}, .granularity = 1025},
        {.kind = TestVolumeKind::blobs, .extent = {8, 8, 8}, .tile = -1},
        {.kind = TestVolumeKind::blobs, .extent = {8, 8, 8}, .scale = 0},
        {.kind = TestVolumeKind::blobs, .extent = {8, 8, 8}, .scale = std::nan("")},
    };
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        CAPTURE(i);
        try {
            make_test_volume(recipes[i]);
            FAIL("made");
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::invalid_argument);
        }
    }
}
