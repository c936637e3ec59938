#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
// Tests the number of components that a generator states against the flood fill and every algorithm of the registry.
#include "device.h"
#include "kernels/oracle.h"
#include "kernels/sanitized.h"
#include "kernels/volumes.h"
#include "lab/algorithms/label_published.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

std::uint64_t counted_by(const Algorithm& algorithm, const std::vector<std::uint8_t>& v, const Extent& extent, Connectivity c) {
    static ThreadPool pool(2);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = extent;
    request.connectivity = c;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), extent, packer);
    return label(algorithm, test_device(), request, source, pool)->count();
}

bool runs_here(const Algorithm& algorithm) { return algorithm.runs_on(test_device().kind); }

/// Small volumes of all kinds. Some algorithms take one pass per voxel of a path.
std::vector<TestVolumeRecipe> recipes() {
    std::vector<TestVolumeRecipe> all;
    for (int order = 1; order <= 3; ++order) all.push_back({.kind = TestVolumeKind::hilbert, .extent = {17, 17, 17}, .order = order});
    for (const Extent& e : {Extent{19, 16, 1}, Extent{13, 14, 9}}) {
        for (const TestVolumeKind kind : {TestVolumeKind::checkerboard, TestVolumeKind::solid, TestVolumeKind::spiral,
                                          TestVolumeKind::zigzag_spiral, TestVolumeKind::dry_earth})
            all.push_back({.kind = kind, .extent = e});
        all.push_back({.kind = TestVolumeKind::random, .extent = e, .density = 0.3, .granularity = 2});
        all.push_back({.kind = TestVolumeKind::blobs, .extent = e, .density = 0.3, .scale = 1.5});
    }
    for (const Extent& e : {Extent{64, 64, 1}, Extent{64, 64, 3}})
        for (const RidgeFamily family : {RidgeFamily::leveling, RidgeFamily::scaling, RidgeFamily::subdivision,
                                         RidgeFamily::random_instancing, RidgeFamily::random_merging})
            for (const int level : {1, 2, 3}) {
                if (sanitized && level != 2) continue;
                all.push_back({.kind = TestVolumeKind::ridge,
                               .extent = e,
                               .seed = std::uint64_t(level),
                               .ridge = {.family = family, .level = level, .factor = 0.3, .subdivisions = 2, .probability = 0.6}});
            }
    return all;
}

}  // namespace

TEST_CASE("every algorithm finds the number of components that a generator states") {
    for (const TestVolumeRecipe& recipe : recipes()) {
        const Extent& e = recipe.extent;
        const auto volume = volumes::made(recipe);
        for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
            INFO("kind " << int(recipe.kind) << " family " << int(recipe.ridge.family) << " level " << recipe.ridge.level << " in " << e.nx
                         << "x" << e.ny << "x" << e.nz << ", connectivity " << number_of(c));
            const std::uint64_t count = oracle::flood_fill(volume, {e.nx, e.ny, e.nz}, number_of(c)).count;
            if (const auto stated = known_components(recipe, c)) CHECK(*stated == count);
            for (const Algorithm& algorithm : all_algorithms()) {
                if (!runs_here(algorithm) || !supports(algorithm, reduced(c, e))) continue;
                if (sanitized && c != Connectivity::c26 && c != Connectivity::c8) continue;
                INFO(algorithm.name);
                CHECK(counted_by(algorithm, volume, e, c) == count);
            }
        }
    }
}

TEST_CASE("a generator states no number of components if only labelling can give it") {
    const auto stated = [](const TestVolumeRecipe& recipe) { return known_components(recipe, Connectivity::c8).has_value(); };
    CHECK_FALSE(stated({.kind = TestVolumeKind::random, .extent = {8, 8, 8}}));
    CHECK_FALSE(stated({.kind = TestVolumeKind::blobs, .extent = {8, 8, 8}}));
    CHECK_FALSE(stated({.kind = TestVolumeKind::dry_earth, .extent = {8, 8, 8}}));
    CHECK_FALSE(stated({.kind = TestVolumeKind::hilbert, .extent = {8, 8, 8}}));  // connectivity 8 labels each slice separately
    for (const TestVolumeKind kind : {TestVolumeKind::checkerboard, TestVolumeKind::solid, TestVolumeKind::spiral,
                                      TestVolumeKind::zigzag_spiral, TestVolumeKind::ridge})
        CHECK(stated({.kind = kind, .extent = {64, 64, 8}}));
}
