// Tests the properties of the published algorithms, early, late and as an analysis, on the device of --device, against sums over the flood
// fill's voxels.
#include <voxcc/label.h>
#include <voxcc/source.h>
#include "kernels/published.h"
#include "kernels/tiles.h"
#include "kernels/volumes.h"
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
#include "lab/algorithms/label_published.h"

using namespace voxcc;
using algorithms::Measure;

namespace {

std::vector<Sums<std::uint64_t>> voxel_by_voxel(const oracle::Labels& labels, oracle::Shape s) {
    std::vector<Sums<std::uint64_t>> sums(labels.count);
    for (long i = 0; i < s.size(); ++i) {
        if (labels.of[i] == 0) continue;
        const std::uint64_t x = i % s.nx, y = i / s.nx % s.ny, z = i / s.nx / s.ny;
        Sums<std::uint64_t>& sum = sums[labels.of[i] - 1];
        sum.n += 1, sum.x += x, sum.y += y, sum.z += z;
        sum.xx += x * x, sum.yy += y * y, sum.zz += z * z, sum.xy += x * y, sum.xz += x * z, sum.yz += y * z;
        sum.x0 = std::min(sum.x0, std::uint32_t(x)), sum.x1 = std::max(sum.x1, std::uint32_t(x));
        sum.y0 = std::min(sum.y0, std::uint32_t(y)), sum.y1 = std::max(sum.y1, std::uint32_t(y));
        sum.z0 = std::min(sum.z0, std::uint32_t(z)), sum.z1 = std::max(sum.z1, std::uint32_t(z));
    }
    return sums;
}

bool equal(const SumTable& table, const std::vector<Sums<std::uint64_t>>& want) {
    if (table.size() != want.size()) return false;
    for (std::size_t k = 0; k < want.size(); ++k) {
        WideSums row;
        row.add(want[k]);
        if (!(table[k] == row)) return false;
    }
    return true;
}

/// Whether a run made labels of the forest: HA4 in the phase "relabel", and all algorithms in the phase "paint".
bool has_painted(const PublishedRun& run) {
    return std::any_of(run.phases.begin(), run.phases.end(), [](const Phase& p) { return p.name == "relabel" || p.name == "paint"; });
}

/// Checks late properties and the analysis (all sums of all components), and early properties (the same moments), and their memory.
void check_algorithm(const Algorithm& algorithm, Connectivity c, const std::vector<std::uint8_t>& v, oracle::Shape s,
                     const std::vector<Sums<std::uint64_t>>& want) {
    std::vector<std::uint32_t> labels(v.size());
    const auto run = [&](Measure measure) {
        return run_published(algorithm, test_device(), {s.nx, s.ny, s.nz}, c, v.data(), labels.data(), published::pool(), measure);
    };
    INFO(algorithm.name << " " << s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
    const bool within_slices = s.nz == 1 || c == Connectivity::c4 || c == Connectivity::c8;
    const std::size_t moments = within_slices ? 48 : 80, box = 24;
    const PublishedRun late = run(Measure::late);
    CHECK(late.dimension == (within_slices ? 2 : 3));
    CHECK(equal(sum_table(late), want));
    CHECK(late.property_bytes == (moments + box) * want.size());
    CHECK(has_painted(late));
    for (const Measure measure : {Measure::late_per_voxel, Measure::analysis}) {
        if (!supports(algorithm, measure)) continue;
        INFO(name_of(measure));
        const PublishedRun other = run(measure);
        CHECK(other.components == want.size());
        CHECK(equal(sum_table(other), want));
        CHECK(other.property_bytes == late.property_bytes);
        CHECK(has_painted(other) == (measure != Measure::analysis));
    }
    if (!algorithm.functions->computes_early) return;
    const PublishedRun early = run(Measure::early);
    CHECK(early.moments == late.moments);
    CHECK(early.boxes.empty());
    CHECK(early.property_bytes == moments * (v.size() + want.size()));
    CHECK(early.bytes >= early.property_bytes);
}

enum class Which { all, that_walk_no_paths };

void check_all(const std::vector<std::uint8_t>& v, oracle::Shape s, Which which = Which::all) {
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
        const std::vector<Sums<std::uint64_t>> want = voxel_by_voxel(oracle::flood_fill(v, s, number_of(c)), s);
        for (const Algorithm& algorithm : published::algorithms())
            if (supports(algorithm, reduced(c, {s.nx, s.ny, s.nz})) && (which == Which::all || !algorithm.functions->walks_paths))
                check_algorithm(algorithm, c, v, s, want);
    }
}

const Algorithm& row_named(std::string_view name) {
    const Algorithm* algorithm = find_algorithm(name);
    REQUIRE(algorithm);
    return *algorithm;
}

}  // namespace

TEST_CASE("properties: the families of LE and TM compute them early") {
    int early = 0;
    for (const Algorithm& algorithm : all_algorithms()) {
        CHECK(algorithm.functions->computes_early == (algorithm.name.starts_with("le-") || algorithm.name.starts_with("tm")));
        early += algorithm.functions->computes_early;
    }
    CHECK(early > 0);
}

TEST_CASE("properties: HA4 has an analysis, and all published algorithms compute late properties in both ways") {
    for (const Algorithm& algorithm : all_algorithms()) {
        INFO(algorithm.name);
        CHECK(supports(algorithm, Measure::analysis) == algorithm.name.starts_with("ha"));
        CHECK(supports(algorithm, Measure::late_per_voxel) == algorithm.is_published());
        CHECK(supports(algorithm, Measure::early) == algorithm.functions->computes_early);
        CHECK(supports(algorithm, Measure::late));
    }
}

TEST_CASE("properties: random volumes of several densities and odd shapes") {
    std::mt19937_64 rng(21);
    const unsigned longest = sanitized ? 40 : 70;
    for (const int density : {0, 3, 20, 35, 60, 95, 100})
        for (int i = 0; i < (sanitized ? density == 35 || density == 95 : published::on_gpu() ? 1 : 2); ++i) {
            const oracle::Shape volume{1 + long(rng() % longest), 1 + long(rng() % longest), 1 + long(rng() % 12)};
            check_all(volumes::random(volume, density, 1 << rng() % 3, 1, rng), volume);
            const oracle::Shape image{1 + long(rng() % (3 * longest)), 1 + long(rng() % (3 * longest)), 1};
            check_all(volumes::random(image, density, 1 << rng() % 3, 1, rng), image);
        }
    for (const oracle::Shape s : {oracle::Shape{1, 1, 1}, {1, 300, 1}, {300, 1, 1}, {1, 1, 300}, {65, 1, 33}, {1, 65, 33}, {129, 33, 2}})
        check_all(volumes::random(s, 70, 1, 1, rng), s);
}

TEST_CASE("sanitizer: properties") {
    std::mt19937_64 rng(23);
    for (const oracle::Shape& s : {oracle::Shape{70, 13, 6}, {70, 45, 1}, {1, 1, 9}}) check_all(volumes::random(s, 45, 2, 1, rng), s);
}

TEST_CASE("properties: spirals, checkerboards and Hilbert curves") {
    // Algorithms that walk along paths take one pass per turn of a path, and each pass takes milliseconds under a sanitizer.
    const Extent image = sanitized ? Extent{35, 29, 1} : Extent{61, 47, 1}, volume = sanitized ? Extent{19, 18, 5} : Extent{33, 31, 9};
    const std::int64_t edge = sanitized ? 20 : 40;
    for (const auto& [kind, extent] : {std::pair(TestVolumeKind::spiral, image),
                                       {TestVolumeKind::spiral, volume},
                                       {TestVolumeKind::checkerboard, image},
                                       {TestVolumeKind::checkerboard, volume},
                                       {TestVolumeKind::hilbert, {edge, edge, edge}}}) {
        TestVolumeRecipe recipe;
        recipe.kind = kind;
        recipe.extent = extent;
        recipe.order = 3;
        const bool path = kind == TestVolumeKind::hilbert || (sanitized && kind == TestVolumeKind::spiral);
        check_all(volumes::made(recipe), {extent.nx, extent.ny, extent.nz}, path ? Which::that_walk_no_paths : Which::all);
    }
}

TEST_CASE("properties: moments close to 64 bits and beyond") {
    // A full row of n voxels: the sum of x^2 for x in [0, n) is (n - 1) n (2 n - 1) / 6.
    const std::int64_t n = 2'600'000;
    REQUIRE(second_moments_fit({n, 1, 1}));
    std::vector<std::uint8_t> v(std::size_t(n), 1);
    std::vector<std::uint32_t> labels(v.size());
    const uint128 squares = uint128(n - 1) * uint128(n) * uint128(2 * n - 1) / 6;
    for (const auto& [name, measure] : {std::pair("uf", Measure::late),
                                        {"uf", Measure::late_per_voxel},
                                        {"ha4", Measure::late},
                                        {"ha4", Measure::analysis},
                                        {"ha4-64", Measure::analysis}}) {
        const PublishedRun run =
            run_published(row_named(name), test_device(), {n, 1, 1}, Connectivity::c4, v.data(), labels.data(), published::pool(), measure);
        CHECK((sum_table(run)[0].xx == squares));
    }

    const std::int64_t more = 2'700'000;
    REQUIRE_FALSE(second_moments_fit({more, 1, 1}));
    v.resize(std::size_t(more), 1);
    labels.resize(v.size());
    for (const Measure measure : {Measure::early, Measure::late, Measure::late_per_voxel})
        CHECK_THROWS_AS(run_published(row_named("tm"), test_device(), {more, 1, 1}, Connectivity::c4, v.data(), labels.data(),
                                      published::pool(), measure),
                        Error);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {more, 1, 1};
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const SumTable table = label(row_named("uf"), test_device(), request, source, published::pool())->measure();  // summed on the host
    CHECK((table[0].xx == uint128(more - 1) * uint128(more) * uint128(2 * more - 1) / 6));
}

TEST_CASE("properties: algorithms refuse the ways that they do not support") {
    std::vector<std::uint8_t> v(8, 1);
    std::vector<std::uint32_t> labels(8);
    for (const Measure measure : {Measure::early, Measure::analysis})
        CHECK_THROWS_AS(run_published(row_named("buf"), test_device(), {2, 2, 2}, Connectivity::c26, v.data(), labels.data(),
                                      published::pool(), measure),
                        Error);
}

// With few components, block-runs adds up the sums in the kernel that paints, if rows of labels are multiples of 16 bytes.
TEST_CASE("properties: block-runs with few and with many components") {
    std::mt19937_64 rng(27);
    for (const oracle::Shape s : {oracle::Shape{136, 40, 19}, {133, 40, 19}, {136, 150, 1}})
        for (const int density : {0, 1, 20, 60, 99, 100})
            for (const int granularity : {1, 7}) {
                const auto v = volumes::random(s, density, granularity, 1, rng);
                for (const Connectivity c : row_named("block-runs").connectivities) {
                    INFO(s.nx << "x" << s.ny << "x" << s.nz << ", " << density << " %, blocks of " << granularity << ", connectivity "
                              << number_of(c));
                    const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
                    CHECK(tiles_tests::failed_with_sums(v, s, c, want) == 0);
                }
            }
}

TEST_CASE("properties: no memory is used if no properties are requested") {
    std::vector<std::uint8_t> v(8, 1);
    std::vector<std::uint32_t> labels(8);
    for (const Algorithm& algorithm : published::algorithms()) {
        const PublishedRun run =
            run_published(algorithm, test_device(), {2, 4, 1}, algorithm.connectivities.back(), v.data(), labels.data(), published::pool());
        CHECK(run.components == 1);
        CHECK(run.property_bytes == 0);
        CHECK(run.moments.empty());
        CHECK(run.boxes.empty());
    }
}

TEST_CASE("properties: measure() of every algorithm gives the sums of block-runs, repeatedly") {
    std::mt19937_64 rng(22);
    const oracle::Shape s{45, 37, 11};
    const auto v = volumes::random(s, 25, 2, 1, rng);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {s.nx, s.ny, s.nz};
    request.connectivity = Connectivity::c6;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const SumTable want = block_runs::label(request, source, published::pool())->measure();
    REQUIRE(want.size() > 1);
    for (const Algorithm& algorithm : published::algorithms()) {
        if (!supports(algorithm, request.connectivity)) continue;
        INFO(algorithm.name);
        const auto labelling = label(algorithm, test_device(), request, source, published::pool());
        for (int call = 0; call < 2; ++call) {
            const SumTable got = labelling->measure();
            REQUIRE(got.size() == want.size());
            std::size_t different = 0;
            for (std::size_t k = 0; k < want.size(); ++k) different += !(got[k] == want[k]);
            CHECK(different == 0);
        }
        const std::vector<std::uint64_t> sizes = component_sizes(*labelling);
        REQUIRE(sizes.size() == want.size());
        for (std::size_t k = 0; k < want.size(); ++k) CHECK(sizes[k] == want.voxels(k));
    }
}

TEST_CASE("properties: if only sums are requested, the table is the same, and HA4 makes no labels") {
    std::mt19937_64 rng(24);
    const oracle::Shape s{45, 37, 11};
    const auto v = volumes::random(s, 25, 2, 1, rng);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {s.nx, s.ny, s.nz};
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    for (const Connectivity c : {Connectivity::c6, Connectivity::c4, Connectivity::c8}) {
        request.connectivity = c;
        const std::vector<Sums<std::uint64_t>> want = voxel_by_voxel(oracle::flood_fill(v, s, number_of(c)), s);
        for (const char* name : {"block-runs", "buf", "ha4", "ha4-64", "ha8"}) {
            if (!supports(row_named(name), c) || (published::on_gpu() && !row_named(name).functions->run_cuda)) continue;
            INFO(name << " connectivity " << number_of(c));
            request.results = Results::sums;
            const auto sums = label(row_named(name), test_device(), request, source, published::pool());
            CHECK(sums->count() == want.size());
            for (int call = 0; call < 2; ++call) CHECK(equal(sums->measure(), want));
            if (row_named(name).functions->analyses) CHECK_THROWS_AS(sums->prepare_paint(ScalarType::u32, {}), Error);
            request.results = Results::labels_and_sums;
            CHECK_NOTHROW(label(row_named(name), test_device(), request, source, published::pool())->prepare_paint(ScalarType::u32, {}));
        }
    }
}
