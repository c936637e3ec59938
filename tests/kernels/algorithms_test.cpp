// Tests every published algorithm of the registry against the flood fill, on the device of --device.
#include "kernels/published.h"
#include "kernels/volumes.h"
#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

using namespace voxcc;
using published::all_connectivities;
using published::check_all;
using published::Paths;
using volumes::moved;
namespace patterns = volumes::patterns;

namespace {

oracle::Shape shape_of(const Extent& e) { return {e.nx, e.ny, e.nz}; }

}  // namespace

TEST_CASE("published: the origin is a place in one of the five papers, or ours") {
    constexpr std::string_view papers[] = {"Allegretti, Bolelli, Grana 2019, section", "Hennequin, Lacassagne, Cabaret, Meunier 2018, ",
                                           "Asad, Marroquim, Souza 2019, ", "Ziegler, Rasmusson 2010, ", "Shibata 2014, "};
    for (const Algorithm& algorithm : all_algorithms()) {
        INFO(algorithm.name << ": " << algorithm.origin);
        const bool of_a_paper = std::any_of(std::begin(papers), std::end(papers), [&](auto p) { return algorithm.origin.starts_with(p); });
        CHECK(of_a_paper != algorithm.origin.starts_with("ours: "));
        CHECK(algorithm.is_published() != (algorithm.source == "voxcc"));
    }
}

TEST_CASE("published: there are algorithms for this device") { CHECK(published::algorithms().size() > 0); }

TEST_CASE("published: the 2^18 volumes of 3x3x2, side by side in groups") {
    // On a GPU, each volume is tested at two positions relative to the tiles of the algorithms. On the CPU, where this takes minutes, each
    // volume is tested at one of the two positions. The path-walking algorithms, which are the slowest, get a quarter of the volumes there.
    // Without --long, the CPU tests every fifth group.
    const std::uint32_t groups = sanitized ? 1 : (1u << 18) / patterns::count;
    for (std::uint32_t group = 0; group < groups; group += published::all_volumes() ? 1 : 5) {
        const std::vector<std::uint8_t> v = patterns::from(group * patterns::count);
        const Paths paths = published::on_gpu() || group % 8 < 2 ? Paths::any : Paths::too_long_to_walk;
        for (const Connectivity c : all_connectivities) {
            oracle::Labels want = oracle::flood_fill(v, patterns::shape, number_of(c));
            const bool odd = group % 2 == 1;
            if (published::on_gpu() || !odd) published::check_rows(v, patterns::shape, c, want, paths);
            if (!published::on_gpu() && !odd) continue;
            want.of = moved(want.of, patterns::at(1, 1, 1));  // the labels do not change, because the order of first voxels does not
            published::check_rows(moved(v, patterns::at(1, 1, 1)), patterns::shape, c, want, paths);
        }
    }
}

TEST_CASE("published: single volumes of 3x3x2") {
    const oracle::Shape s{3, 3, 2};
    std::vector<std::uint8_t> v(18);
    for (std::uint32_t bits = 0; bits < 1u << 18; bits += 3583) {  // the step is a prime, so that all bits vary
        for (int i = 0; i < 18; ++i) v[i] = bits >> i & 1;
        check_all(v, s);
    }
}

TEST_CASE("published: every shape from 1x1x1 to 9x9x9") {
    std::mt19937_64 rng(11);
    const long step = sanitized ? 4 : 1;
    for (long nz = 1; nz <= 9; nz += step)
        for (long ny = 1; ny <= 9; ny += step)
            for (long nx = 1; nx <= 9; nx += sanitized ? 3 : 1) {
                const oracle::Shape s{nx, ny, nz};
                check_all(volumes::random(s, std::array{5, 20, 31, 50, 80, 95, 100}[rng() % 7], 1 + int(rng() % 2), 1, rng), s);
            }
}

TEST_CASE("published: in one slice, connectivity 6 equals 4, and 18 and 26 equal 8") {
    std::mt19937_64 rng(15);
    const oracle::Shape s{37, 21, 1};
    const auto v = volumes::random(s, 40, 1, 1, rng);
    for (const Connectivity c : all_connectivities) published::check_rows(v, s, c, oracle::flood_fill(v, s, number_of(c)));
}

TEST_CASE("published: random volumes of every density and granularity, no multiples of any tile") {
    std::mt19937_64 rng(12);
    constexpr std::array volumes_3d{oracle::Shape{67, 21, 11}, oracle::Shape{45, 29, 19}, oracle::Shape{33, 50, 13}};
    constexpr std::array volumes_2d{oracle::Shape{131, 77, 1}, oracle::Shape{97, 203, 1}};
    const int most = sanitized ? 50 : 100;  // other tests have full volumes
    for (int density = sanitized ? 50 : 0, i = 0; density <= most; density += published::all_volumes() ? 10 : 20)
        for (int granularity = 1; granularity <= 16; granularity *= sanitized ? 4 : 2, ++i)
            for (const oracle::Shape& s : {volumes_3d[i % 3], volumes_2d[i % 2]})
                check_all(volumes::random(s, density, granularity, 1, rng), s);
}

TEST_CASE("published: random volumes of random shapes") {
    std::mt19937_64 rng(13);
    for (int i = 0; i < (sanitized ? 3 : 24); ++i) {
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

TEST_CASE("published: Hilbert curves of order 1 to 6") {
    // The curve visits every second voxel of the cube along each axis. Path-walking algorithms follow it voxel by voxel. They get orders 1
    // to 3 on the CPU and 1 to 4 on a GPU. Without --long, the CPU tests no curve of order 6.
    const int highest = sanitized ? 2 : published::all_volumes() ? 6 : 5;
    for (int order = 1; order <= highest; ++order) {
        TestVolumeRecipe recipe;
        recipe.kind = TestVolumeKind::hilbert;
        recipe.order = order;
        const std::int64_t edge = std::int64_t{2} << order;
        recipe.extent = {edge, edge, edge};
        check_all(volumes::made(recipe), shape_of(recipe.extent),
                  order <= (published::on_gpu() ? 4 : 3) ? Paths::any : Paths::too_long_to_walk);
    }
}

TEST_CASE("published: spirals, checkerboards and combs") {
    for (const Extent& extent : {sanitized ? Extent{31, 27, 1} : Extent{61, 47, 1}, sanitized ? Extent{15, 13, 7} : Extent{23, 21, 19}})
        for (const TestVolumeKind kind : {TestVolumeKind::spiral, TestVolumeKind::checkerboard}) {
            TestVolumeRecipe recipe;
            recipe.kind = kind;
            recipe.extent = extent;
            const bool path = sanitized && kind == TestVolumeKind::spiral;
            check_all(volumes::made(recipe), shape_of(extent), path ? Paths::too_long_to_walk : Paths::any);
        }
    const oracle::Shape s{65, 34, sanitized ? 3 : 9};  // a comb: teeth that are connected only in the last row
    std::vector<std::uint8_t> comb(s.size());
    for (long i = 0; i < s.size(); ++i) comb[i] = i % s.nx % 2 == 0 || i / s.nx % s.ny == s.ny - 1;
    check_all(comb, s);
}

TEST_CASE("published: unsupported requests are refused") {
    const Algorithm* algorithm = find_algorithm("buf");
    REQUIRE(algorithm);
    const std::vector<std::uint8_t> v(8, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {2, 2, 2};
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    CHECK(label(*algorithm, test_device(), request, source, published::pool())->count() == 1);
    for (const Rule rule : {Rule::equal_values, Rule::gradient, Rule::colour}) {
        request.rule = rule;
        CHECK_THROWS_AS(label(*algorithm, test_device(), request, source, published::pool()), Error);
    }
    const Algorithm* block_runs = find_algorithm("block-runs");
    REQUIRE(block_runs);
    CHECK_THROWS_AS(label(*block_runs, test_device(), request, source, published::pool()), Error);  // the rule is colour
    request.rule = Rule::foreground;
    request.periodic.axes[0] = true;
    CHECK_THROWS_AS(label(*algorithm, test_device(), request, source, published::pool()), Error);
    request.periodic.axes[0] = false;
    const Algorithm* within_slices = find_algorithm("lbuf");
    REQUIRE(within_slices);
    CHECK_FALSE(supports(*within_slices, Connectivity::c6));
    CHECK_THROWS_AS(label(*within_slices, test_device(), request, source, published::pool()), Error);  // the connectivity is 26
    request.connectivity = Connectivity::c8;
    CHECK(label(*within_slices, test_device(), request, source, published::pool())->count() == 2);
}
