// Random volumes of all kinds for random_volumes.cpp. A seed gives the same volume and settings on every machine.
#pragma once
#include "kernels/volumes.h"

#include <bit>
#include <string>

namespace drawn {

using namespace voxcc;

/// Whether the components of a volume can be long paths. Algorithms that walk along paths take too long for them.
enum class Paths { short_ones, long_ones };

struct Volume {
    std::string kind;
    oracle::Shape shape;
    std::vector<std::uint8_t> voxels;
    Paths paths = Paths::short_ones;
};

/// @return a number in [lowest, highest]
inline long number(std::mt19937_64& rng, long lowest, long highest) { return lowest + long(rng() % std::uint64_t(highest - lowest + 1)); }

/// @return 1 to 70 voxels per axis; one of three volumes has one or two thin axes
inline oracle::Shape shape(std::mt19937_64& rng) {
    long axes[3] = {number(rng, 1, 70), number(rng, 1, 70), number(rng, 1, 70)};
    if (rng() % 3 == 0)
        for (long thin = number(rng, 1, 2); thin > 0; --thin) axes[rng() % 3] = number(rng, 1, 3);
    return {axes[0], axes[1], axes[2]};
}

inline Volume blocks(std::mt19937_64& rng) {
    const oracle::Shape s = shape(rng);
    const int density = int(number(rng, 0, rng() % 2 ? 100 : 40));  // low densities have the most components that touch at corners
    const int granularity = int(rng() % 2 ? 1 : number(rng, 1, 16)), values = rng() % 2 ? 1 : int(number(rng, 2, 5));
    const bool is_small = s.size() <= 20'000;
    return {"random", s, volumes::random(s, density, granularity, values, rng), is_small ? Paths::short_ones : Paths::long_ones};
}

/// Sets the members that the kind of the recipe needs, and its extent.
inline void complete(TestVolumeRecipe& recipe, std::mt19937_64& rng) {
    const oracle::Shape s = shape(rng);
    recipe.extent = {s.nx, s.ny, s.nz};
    recipe.seed = rng();
    recipe.density = double(number(rng, 0, 100)) / 100;
    recipe.scale = double(number(rng, 1, 8)) / 2;
    if (recipe.kind == TestVolumeKind::zigzag_spiral) {
        constexpr long least = 8;
        recipe.extent = {std::max(s.nx, least), std::max(s.ny, least), s.nz};
    }
    if (recipe.kind == TestVolumeKind::hilbert) {
        recipe.order = int(number(rng, 1, 5));
        const std::int64_t edge = number(rng, 1l << recipe.order, std::max(2l << recipe.order, 40l));
        recipe.extent = {edge, edge, edge};
    }
    if (recipe.kind != TestVolumeKind::ridge) return;
    const int n = int(number(rng, 2, 6));
    recipe.extent = {1 << n, 1 << n, number(rng, 1, 5)};
    recipe.ridge.family = RidgeFamily(rng() % 5);
    recipe.ridge.level = int(number(rng, 1, n - 1));
    recipe.ridge.factor = recipe.ridge.probability = double(number(rng, 0, 100)) / 100;
    recipe.ridge.subdivisions = int(number(rng, 0, n - recipe.ridge.level - 1));
}

inline Volume generated(std::mt19937_64& rng) {
    struct Kind {
        const char* name;
        TestVolumeKind kind;
    };
    constexpr std::array kinds{Kind{"hilbert", TestVolumeKind::hilbert},
                               Kind{"spiral", TestVolumeKind::spiral},
                               Kind{"zigzag spiral", TestVolumeKind::zigzag_spiral},
                               Kind{"ridge", TestVolumeKind::ridge},
                               Kind{"blobs", TestVolumeKind::blobs},
                               Kind{"checkerboard", TestVolumeKind::checkerboard},
                               Kind{"dry earth", TestVolumeKind::dry_earth},
                               Kind{"solid", TestVolumeKind::solid}};
    const Kind kind = kinds[rng() % kinds.size()];
    TestVolumeRecipe recipe;
    recipe.kind = kind.kind;
    complete(recipe, rng);
    return {kind.name, {recipe.extent.nx, recipe.extent.ny, recipe.extent.nz}, volumes::made(recipe), Paths::long_ones};
}

inline Volume volume(std::mt19937_64& rng) {
    Volume drawn = rng() % 2 ? blocks(rng) : generated(rng);
    if (rng() % 8 == 0) {
        drawn.kind = "inverted " + drawn.kind;
        for (std::uint8_t& voxel : drawn.voxels) voxel = voxel == 0;
    }
    return drawn;
}

}  // namespace drawn
