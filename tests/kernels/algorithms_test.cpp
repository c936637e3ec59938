// Every published algorithm of the registry against the flood fill, on the device given (--device): byte-equal labels, 1..K by first voxel.
// On a GPU each call costs a copy and a few launches, and sanitizers take ten times as long, so that the sets are smaller there.
#include "device.h"
#include "kernels/oracle.h"
#include "kernels/volumes.h"
#include "kernels3d/algorithms/label.h"
#include "kernels3d/block_runs/memory_source.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

ThreadPool& pool() {
    static ThreadPool three(3);
    return three;
}

std::vector<AlgorithmRow> published() {
    std::vector<AlgorithmRow> rows;
    for (const AlgorithmRow& row : algorithm_rows())
        if (row.is_published() && (test_device().kind == Device::Kind::cpu || row.run_cuda)) rows.push_back(row);
    return rows;
}

bool on_gpu() { return test_device().kind == Device::Kind::cuda; }

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

bool reduced_set() { return on_gpu() || sanitized; }

/// Labels into poisoned memory; true if they equal the oracle's.
bool equal(const AlgorithmRow& row, Connectivity c, const std::vector<std::uint8_t>& v, oracle::Shape s, const oracle::Labels& want) {
    std::vector<std::uint32_t> labels(v.size(), 0xdeadbeef);
    const auto run = run_published(row, test_device(), {s.nx, s.ny, s.nz}, c, v.data(), labels.data(), pool());
    return run.components == want.count && std::equal(labels.begin(), labels.end(), want.of.begin());
}

/// Rows whose passes grow with the length of the paths within a component: tens of thousands on a long Hilbert curve, minutes on the CPU.
bool walks_paths(const AlgorithmRow& row) { return row.name.starts_with("ziegler-"); }

void check_all(const std::vector<std::uint8_t>& v, oracle::Shape s, bool has_long_paths = false) {
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
        const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
        for (const AlgorithmRow& row : published()) {
            if (has_long_paths && walks_paths(row)) continue;
            if (!supports(row, reduced(c, {s.nx, s.ny, s.nz})) || equal(row, c, v, s, want)) continue;
            INFO(row.name << " " << s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
            CHECK(false);
        }
    }
}

}  // namespace

TEST_CASE("published: there are rows for this device") { CHECK(published().size() > 0); }

TEST_CASE("published: volumes of 3x3x2") {
    const oracle::Shape s{3, 3, 2};
    std::vector<std::uint8_t> v(18);
    const std::uint32_t step = reduced_set() ? 3583 : 17;  // primes, so that all patterns of the bits are met
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26})
        for (const AlgorithmRow& row : published()) {
            if (!supports(row, c)) continue;
            std::uint64_t wrong = 0;
            for (std::uint32_t bits = 0; bits < 1u << 18; bits += step) {
                for (int i = 0; i < 18; ++i) v[i] = bits >> i & 1;
                wrong += !equal(row, c, v, s, oracle::flood_fill(v, s, number_of(c)));
            }
            INFO(row.name);
            CHECK(wrong == 0);
        }
}

TEST_CASE("published: every shape from 1x1x1 to 9x9x9") {
    std::mt19937_64 rng(11);
    const long step = reduced_set() ? 4 : 1;
    for (long nz = 1; nz <= 9; nz += step)
        for (long ny = 1; ny <= 9; ny += step)
            for (long nx = 1; nx <= 9; ++nx) {
                const oracle::Shape s{nx, ny, nz};
                check_all(volumes::random(s, std::array{5, 20, 31, 50, 80, 95, 100}[rng() % 7], 1 + int(rng() % 2), 1, rng), s);
            }
}

TEST_CASE("published: larger volumes, no multiples of any tile") {
    std::mt19937_64 rng(12);
    for (int i = 0; i < (sanitized ? 6 : 24); ++i) {
        oracle::Shape s{1 + long(rng() % 140), 1 + long(rng() % 40), 1 + long(rng() % 20)};
        if (i % 4 == 0) s = {1 + long(rng() % 300), 1 + long(rng() % 300), 1};
        check_all(volumes::random(s, int(rng() % 101), 1 << rng() % 5, 1, rng), s);
    }
}

TEST_CASE("published: degenerate, empty and full volumes") {
    for (const oracle::Shape s :
         {oracle::Shape{1, 1, 1}, {1, 500, 1}, {500, 1, 1}, {1, 1, 500}, {65, 1, 33}, {1, 65, 33}, {131, 130, 1}, {64, 3, 2}})
        for (const std::uint8_t value : {0, 1, 255}) check_all(std::vector<std::uint8_t>(s.size(), value), s);
}

TEST_CASE("published: Hilbert curves, spirals, checkerboards and combs") {
    std::vector<TestVolumeRecipe> recipes;
    for (int order = 1; order <= (sanitized ? 2 : 5); ++order) {
        TestVolumeRecipe recipe;
        recipe.kind = TestVolumeKind::hilbert;
        recipe.order = order;
        recipe.extent = {64, 64, 64};
        recipes.push_back(recipe);
    }
    for (const Extent& extent : {Extent{61, 47, 1}, {33, 31, 29}})
        for (const TestVolumeKind kind : {TestVolumeKind::spiral, TestVolumeKind::checkerboard}) {
            TestVolumeRecipe recipe;
            recipe.kind = kind;
            recipe.extent = extent;
            recipes.push_back(recipe);
        }
    for (const TestVolumeRecipe& recipe : recipes) {
        const oracle::Shape s{recipe.extent.nx, recipe.extent.ny, recipe.extent.nz};
        const bool has_long_paths = recipe.kind == TestVolumeKind::hilbert && recipe.order > (on_gpu() ? 4 : 2);
        check_all(volumes::made(recipe), s, has_long_paths);
    }
    const oracle::Shape s{65, 34, 9};  // teeth that meet only in the last row
    std::vector<std::uint8_t> comb(s.size());
    for (long i = 0; i < s.size(); ++i) comb[i] = i % s.nx % 2 == 0 || i / s.nx % s.ny == s.ny - 1;
    check_all(comb, s);
}

TEST_CASE("published: what a row cannot do is refused") {
    const AlgorithmRow* row = find_algorithm("buf");
    REQUIRE(row);
    const std::vector<std::uint8_t> v(8, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {2, 2, 2};
    block_runs::MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    CHECK(label(*row, test_device(), request, source, pool())->count() == 1);
    request.rule = block_runs::Rule::equal_values;
    CHECK_THROWS_AS(label(*row, test_device(), request, source, pool()), Error);
    request.rule = block_runs::Rule::foreground;
    request.periodic.axes[0] = true;
    CHECK_THROWS_AS(label(*row, test_device(), request, source, pool()), Error);
    request.periodic.axes[0] = false;
    const AlgorithmRow* within_slices = find_algorithm("lbuf");
    REQUIRE(within_slices);
    CHECK_FALSE(supports(*within_slices, Connectivity::c6));
    CHECK_THROWS_AS(label(*within_slices, test_device(), request, source, pool()), Error);  // 26
    request.connectivity = Connectivity::c8;
    CHECK(label(*within_slices, test_device(), request, source, pool())->count() == 2);
}
