// Tests ridge patterns against the equations of Asad et al., and the number of passes that label equivalence needs on them.
#include "device.h"
#include "kernels/volumes.h"
#include "lab/algorithms/label_published.h"

#include <doctest/doctest.h>
#include <cmath>

using namespace voxcc;
using volumes::made;

namespace {

TestVolumeRecipe recipe_of(const RidgeRecipe& ridge, const Extent& extent, std::uint64_t seed = 1) {
    return {.kind = TestVolumeKind::ridge, .extent = extent, .seed = seed, .ridge = ridge};
}

std::string drawn(const TestVolumeRecipe& recipe) {
    const auto volume = made(recipe);
    std::string text;
    for (std::size_t i = 0; i < volume.size(); ++i) {
        text += volume[i] ? '#' : '.';
        if ((i + 1) % std::size_t(recipe.extent.nx) == 0) text += '\n';
    }
    return text;
}

/// The number of scans that stored a link, which the paper calls iterations. The last scan, which stores no link, does not count.
int passes(std::string_view name, const std::vector<std::uint8_t>& volume, const Extent& extent, Connectivity c) {
    static ThreadPool pool(3);
    const Algorithm* const algorithm = find_algorithm(name);
    REQUIRE(algorithm);
    std::vector<std::uint32_t> labels(volume.size());
    for (const exec::Phase& phase : run_published(*algorithm, test_device(), extent, c, volume.data(), labels.data(), pool).phases)
        if (phase.name == "analysis") return phase.calls;
    return 0;
}

std::int64_t set_voxels(const std::vector<std::uint8_t>& volume) { return std::count(volume.begin(), volume.end(), 1); }

constexpr std::array in_volumes{Connectivity::c6, Connectivity::c18, Connectivity::c26};  // in one slice, they are 4, 8 and 8

}  // namespace

TEST_CASE("ridge: the patterns of levels 1 to 3") {
    CHECK(drawn(recipe_of({.level = 1}, {4, 4, 1})) ==
          "##..\n"
          "##..\n"
          "....\n"
          "....\n");
    CHECK(drawn(recipe_of({.level = 2}, {8, 8, 1})) ==
          "#..#....\n"
          "#..#....\n"
          "####....\n"
          "#####...\n"
          "........\n"
          "........\n"
          "........\n"
          "........\n");
    CHECK(drawn(recipe_of({.level = 3}, {16, 16, 1})).substr(0, 7 * 17) ==
          "#.....#.........\n"
          "#..#..#.........\n"
          "#..#..#.........\n"
          "#######.........\n"
          "########........\n"
          "#########.......\n"
          "##########......\n");
}

TEST_CASE("ridge: peaks and base as in equations 6 to 8 and 13 to 17") {
    for (int level = 2; level <= 6; ++level)
        for (int k = 0; k <= 3; ++k) {
            CAPTURE(level);
            CAPTURE(k);
            const int n = k + level + 1;
            const long edge = 1l << n, crest = (1l << (k + level - 1)) + (1l << (k + level - 2)) + (1l << k);  // eq. 13
            const auto volume = made(recipe_of({.level = level}, {edge, edge, 1}));
            const long widest = 2 * crest - level - 1, height = crest;  // eq. 11, first form; eq. 14 and 16 together
            CHECK(2 + widest <= edge);                                  // eq. 17
            std::vector<std::uint8_t> expected(volume.size(), 0);
            const auto column = [&](long x, long top) {
                for (long y = top; y < height; ++y) expected[std::size_t(y * edge + x)] = 1;
            };
            for (long x = 0; x < crest; ++x) column(x, level);
            for (long x = crest; x < widest; ++x) column(x, level + x - crest + 1);  // 45 degrees
            for (long i = 0; i <= 1l << (level - 2); ++i) {                          // eq. 6
                long peak = 1;                                                       // eq. 8
                for (int power = 0; power <= level - 2; ++power) peak += i % (1l << power) == 0;
                for (long x = 0; x < 1l << k; ++x) column((3 * i << k) + x, level - peak);  // eq. 7
            }
            REQUIRE(volume == expected);
        }
}

TEST_CASE("ridge: label equivalence takes as many passes as the level, in one slice and in many") {
    const int highest = test_device().kind == Device::Kind::cpu ? 6 : 8;
    for (int level = 1; level <= highest; ++level)
        for (const int k : {0, 1})
            for (const std::int64_t nz : {1, 2, 5}) {
                const std::int64_t edge = std::int64_t{1} << (level + k + 1);
                const Extent extent{edge, edge, nz};
                const auto volume = made(recipe_of({.level = level}, extent));
                for (const Connectivity c : in_volumes) {
                    INFO("level " << level << " k " << k << " slices " << nz << " connectivity " << number_of(c));
                    CHECK(passes("le-hle", volume, extent, c) == level);
                    // These algorithms read labels that the same scan changes. One pass can therefore do the work of several.
                    for (const char* in_place : {"le-kle", "le-kle-f4", "le-kle-p4", "le-hybrid", "le-hybrid-f8", "le-hybrid-p4"}) {
                        INFO(in_place);
                        const int taken = passes(in_place, volume, extent, c);
                        CHECK(taken >= std::min(level, 2));
                        CHECK(taken <= level);
                    }
                }
            }
}

TEST_CASE("ridge: many patterns take as many passes as one; spirals take two") {
    for (const int level : {1, 2, 3, 4})
        for (const std::int64_t nz : {1, 3})
            for (const RidgeFamily family : {RidgeFamily::subdivision, RidgeFamily::random_instancing}) {
                const Extent extent{128, 128, nz};
                const auto volume = made(recipe_of({.family = family, .level = level, .subdivisions = 2}, extent));
                for (const Connectivity c : in_volumes) CHECK(passes("le-hle", volume, extent, c) == level);
            }
    const Extent extent{61, 47, 1};
    const auto spiral = made({.kind = TestVolumeKind::spiral, .extent = extent});
    CHECK(passes("le-hle", spiral, extent, Connectivity::c4) == 2);
    CHECK(passes("le-hle", spiral, extent, Connectivity::c8) == 2);
}

TEST_CASE("ridge: families are equal at the limits of their parameters") {
    const Extent e{128, 128, 1};
    const auto image = [&](const RidgeRecipe& ridge) { return made(recipe_of(ridge, e)); };
    const auto subdivision = image({.family = RidgeFamily::subdivision, .subdivisions = 3});
    const auto leveling = image({.family = RidgeFamily::leveling});
    const std::vector<std::uint8_t> empty(subdivision.size(), 0);
    CHECK(image({.family = RidgeFamily::subdivision, .subdivisions = 0}) == leveling);
    CHECK(image({.family = RidgeFamily::scaling, .factor = 1}) == leveling);
    CHECK(image({.family = RidgeFamily::scaling, .factor = 0}) == empty);
    CHECK(image({.family = RidgeFamily::random_instancing, .subdivisions = 3, .probability = 1}) == subdivision);
    CHECK(image({.family = RidgeFamily::random_instancing, .subdivisions = 3, .probability = 0}) == empty);
    CHECK(image({.family = RidgeFamily::random_merging, .subdivisions = 3, .probability = 0}) == subdivision);
    const RidgeRecipe all_joined{.family = RidgeFamily::random_merging, .subdivisions = 3, .probability = 1};
    CHECK(known_components(recipe_of(all_joined, e), Connectivity::c8) == 1);
    CHECK(oracle::flood_fill(image(all_joined), {e.nx, e.ny, 1}, 4).count == 1);
}

TEST_CASE("ridge: one component of the requested size at every factor") {
    for (int level = 1; level <= 5; ++level) {
        const Extent e{64, 64, 1};
        const double whole = double(set_voxels(made(recipe_of({.level = level}, e))));
        for (int percent = 1; percent <= 100; ++percent) {
            CAPTURE(level);
            CAPTURE(percent);
            const TestVolumeRecipe recipe = recipe_of({.family = RidgeFamily::scaling, .level = level, .factor = percent / 100.0}, e);
            const auto image = made(recipe);
            const auto stated = known_components(recipe, Connectivity::c4);
            for (const int neighbours : {4, 8}) CHECK(oracle::flood_fill(image, {e.nx, e.ny, 1}, neighbours).count == stated);
            CHECK(std::abs(std::sqrt(double(set_voxels(image)) / whole) - percent / 100.0) < 0.06);
        }
    }
}

TEST_CASE("ridge: the requested share of patterns or lines, equal in all slices and for equal seeds") {
    for (const RidgeFamily family : {RidgeFamily::random_instancing, RidgeFamily::random_merging}) {
        const RidgeRecipe ridge{.family = family, .level = 1, .subdivisions = 5, .probability = 0.3};
        const TestVolumeRecipe image = recipe_of(ridge, {128, 128, 1}, 7), stack = recipe_of(ridge, {128, 128, 3}, 7);
        const auto slice = made(image), slices = made(stack);
        for (std::size_t i = 0; i < slices.size(); ++i) REQUIRE(slices[i] == slice[i % slice.size()]);
        CHECK(slice == made(image));
        CHECK(slice != made(recipe_of(ridge, {128, 128, 1}, 8)));
        // There are 1024 patterns of 4 voxels, and 2 * 32 * 31 possible lines of 2 voxels.
        const bool instancing = family == RidgeFamily::random_instancing;
        const double share = instancing ? double(set_voxels(slice)) / 4096 : double(set_voxels(slice) - 4096) / (2 * 1984);
        CHECK(std::abs(share - 0.3) < 0.05);
        CHECK(known_components(image, Connectivity::c8) == oracle::flood_fill(slice, {128, 128, 1}, 8).count);
    }
}

TEST_CASE("ridge: recipes that cannot be made are usage errors") {
    const std::vector<TestVolumeRecipe> recipes{
        recipe_of({.level = 1}, {64, 32, 1}),
        recipe_of({.level = 1}, {48, 48, 1}),
        recipe_of({.level = 1}, {2, 2, 1}),
        recipe_of({.level = 0}, {64, 64, 1}),
        recipe_of({.level = 6}, {64, 64, 1}),
        recipe_of({.family = RidgeFamily::subdivision, .level = 3, .subdivisions = 3}, {64, 64, 1}),
        recipe_of({.family = RidgeFamily::subdivision, .level = 1, .subdivisions = -1}, {64, 64, 1}),
        recipe_of({.family = RidgeFamily::subdivision, .level = 1, .subdivisions = 16}, {1 << 20, 1 << 20, 1}),
        recipe_of({.family = RidgeFamily::scaling, .factor = std::nan("")}, {64, 64, 1}),
        recipe_of({.family = RidgeFamily::random_merging, .probability = 1.1}, {64, 64, 1}),
    };
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        CAPTURE(i);
        for (const bool only_count : {false, true}) try {
                if (only_count) known_components(recipes[i], Connectivity::c8);
                else make_test_volume(recipes[i]);
                FAIL("made");
            } catch (const Error& error) {
                CHECK(error.kind() == ErrorKind::invalid_argument);
            }
    }
}
