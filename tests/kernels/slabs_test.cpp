// Tests the slab engine against the flood fill. CPU executors with their own threads stand for devices. With --device cuda[:N,...], the
// test uses GPUs; a GPU stands for several devices if a test needs more devices than GPUs.
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/gpu_slabs/slab_labelling.h"
#include "kernels3d/engine/gpu_slabs/timing.h"
#include "kernels3d/engine/request.h"

#include "kernels/slabs.h"
#include "kernels/volumes.h"
#include "kernels3d/api/cuda.h"

using namespace slabs_tests;
using published::all_connectivities;
using published::on_gpu;
using published::pool;
using tiles_tests::extent_of;
using tiles_tests::paints;

namespace {

using Volume = std::vector<std::uint8_t>;

/// 0 if labels and sums are correct, else the number of the first check that failed.
int failed(const Volume& v, oracle::Shape s, Connectivity c, const Cut& cut, const oracle::Labels& want, const SumTable& sums) {
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = extent_of(s);
    request.connectivity = c;
    const auto access = s.nx % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
    const auto labelling = labelled(request, source, cut);
    const RowRange all{0, s.ny * s.nz};
    if (labelling->count() != want.count) return 1;
    if (!paints<std::uint32_t>(*labelling, s, want, all)) return 2;
    std::vector<std::uint64_t> numbers(want.count);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % 3 == 0 ? 0 : numbers.size() - k;
    if (!paints<std::uint16_t>(*labelling, s, want, {all.count / 3, all.count - all.count / 3}, numbers)) return 3;
    if (!paints<std::uint64_t>(*labelling, s, want, all, numbers)) return 4;
    if (!paints<std::uint64_t>(*labelling, s, want, {all.count / 2, 1})) return 5;
    if (!paints<std::uint8_t>(*labelling, s, want, {all.count / 4, all.count / 2})) return 6;
    const SumTable got = labelling->measure();
    if (got.size() != sums.size()) return 7;
    for (std::size_t k = 0; k < sums.size(); ++k)
        if (!(got[k] == sums[k])) return 8;
    return 0;
}

void check(const Volume& v, oracle::Shape s, Connectivity c, const std::vector<Cut>& ways) {
    const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = extent_of(s);
    request.connectivity = c;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const SumTable sums = block_runs::label(request, source, pool())->measure();
    for (const Cut& cut : ways) {
        INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " devices " << cut.devices << " slices "
                  << cut.limits.most_slices << " residency " << int(cut.limits.residency));
        CHECK(failed(v, s, c, cut, want, sums) == 0);
    }
}

/// Checks all connectivities with all cuts of `ways`, except connectivities that are reduced to others in an image.
void check_all(const Volume& v, oracle::Shape s, const std::vector<Cut>& ways = cuts()) {
    for (const Connectivity c : all_connectivities)
        if (reduced(c, extent_of(s)) == c) check(v, s, c, ways);
}

}  // namespace

TEST_CASE("slabs: random volumes of every density and granularity") {
    std::mt19937_64 rng(41);
    for (int density = 0; density <= 100; density += sanitized ? 50 : 10)
        for (int granularity = 1; granularity <= 8; granularity *= 2) {
            const oracle::Shape s = granularity % 3 == 1 ? oracle::Shape{71, 18, 51} : oracle::Shape{80, 33, 66};
            check_all(volumes::random(s, density, granularity, 1, rng), s, next_cut());
        }
    const oracle::Shape s{67, 19, 70};
    check_all(volumes::random(s, 30, 1, 1, rng), s);
    check_all(volumes::random(s, 55, 2, 1, rng), s);
}

TEST_CASE("slabs: shapes around the borders of slabs and tiles") {
    std::mt19937_64 rng(42);
    for (const long nx : {1, 63, 65})
        for (const long ny : {1, 31, 33})
            for (const long nz : {2, 8, 9, 16, 17, 24, 25, 32, 33, 34, 48, 49}) {
                const oracle::Shape s{nx, ny, nz};
                check_all(volumes::random(s, std::array{10, 25, 35, 50, 70, 90}[rng() % 6], 1 + int(rng() % 2), 1, rng), s, next_cut());
            }
}

TEST_CASE("slabs: patterns of 3x3x2 voxels with a slab border between their slices") {
    // Two slabs of 16 slices. The patterns are the multiples of 29.
    constexpr long across = 96;
    const oracle::Shape s{across * 4, across * 4, 32};
    Volume v(s.size());
    for (std::uint32_t n = 0; n < across * across; ++n)
        for (int i = 0; i < 18; ++i)
            v[(long(n) % across * 4 + i % 3) + s.nx * (long(n) / across * 4 + i / 3 % 3 + s.ny * (15 + i / 9))] = n * 29 >> i & 1;
    check_all(v, s, {{2, {}}});
}

TEST_CASE("slabs: components that cross all slabs many times") {
    for (const TestVolumeKind kind : {TestVolumeKind::spiral, TestVolumeKind::checkerboard}) {
        TestVolumeRecipe recipe;
        recipe.kind = kind;
        recipe.extent = {41, 37, 83};
        check_all(volumes::made(recipe), {41, 37, 83});
    }
    TestVolumeRecipe hilbert;
    hilbert.kind = TestVolumeKind::hilbert;
    hilbert.order = sanitized ? 4 : 5;
    const std::int64_t edge = std::int64_t{2} << hilbert.order;
    hilbert.extent = {edge, edge, edge};
    check_all(volumes::made(hilbert), {edge, edge, edge});
    const oracle::Shape s{66, 35, 70};  // teeth along z that are connected only in the last slice, or only in the first
    for (const long meets : {s.nz - 1, 0l}) {
        Volume comb(s.size());
        for (long i = 0; i < s.size(); ++i) comb[i] = (i % s.nx % 2 == 0 && i / s.nx % s.ny % 2 == 0) || i / s.nx / s.ny == meets;
        check_all(comb, s);
    }
}

TEST_CASE("slabs: empty slabs, full volumes, single voxels") {
    const oracle::Shape s{65, 17, 67};
    for (const std::uint8_t value : {0, 1}) check_all(Volume(s.size(), value), s);
    for (const long from : {0, 16, 40}) {  // foreground in 20 slices only: other slabs are empty
        std::mt19937_64 rng(43);
        Volume v = volumes::random(s, 40, 1, 1, rng);
        for (long i = 0; i < s.size(); ++i)
            if (i / s.nx / s.ny < from || i / s.nx / s.ny >= from + 20) v[i] = 0;
        check_all(v, s);
    }
    for (long z = 0; z < s.nz; z += 11) {
        Volume v(s.size());
        v[(z * s.ny + z % s.ny) * s.nx + z % s.nx] = 1;
        check_all(v, s, next_cut());
    }
}

TEST_CASE("slabs: labels are painted by several threads at once") {
    std::mt19937_64 rng(44);
    const oracle::Shape s{70, 20, 68};
    const Volume v = volumes::random(s, 30, 1, 1, rng);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = extent_of(s);
    request.connectivity = Connectivity::c18;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    for (const Cut& cut : {Cut{2, {}}, Cut{2, {1, Residency::one_at_a_time}}}) {
        const auto labelling = labelled(request, source, cut);
        labelling->prepare_paint(ScalarType::u32, {});
        std::vector<std::uint32_t> labels(v.size(), 77);
        ThreadPool painters(3);
        painters.for_each(s.nz, [&](std::int64_t z) {
            labelling->paint({z * s.ny, s.ny}, reinterpret_cast<std::byte*>(labels.data() + z * s.ny * s.nx), Stores::cached);
        });
        CHECK(std::equal(labels.begin(), labels.end(), oracle::flood_fill(v, s, 18).of.begin()));
    }
}

TEST_CASE("slabs: labels past 32 bits") {
    std::mt19937_64 rng(47);
    const oracle::Shape s{70, 20, 36};
    const Volume v = volumes::random(s, 20, 1, 1, rng);
    const oracle::Labels want = oracle::flood_fill(v, s, 26);
    std::vector<std::uint64_t> numbers(want.count);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % 5 == 0 ? 0 : (k << 32) + 3;
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = extent_of(s);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    CHECK(paints<std::uint64_t>(*labelled(request, source, {2, {}}), s, want, {7, s.ny * s.nz - 20}, numbers));
}

TEST_CASE("slabs: a crowded table and a short list of pairs change nothing") {
    std::mt19937_64 rng(45);
    const exec::Grid plane{130, 70, 1};
    std::vector<std::uint32_t> below(plane.cells()), above(plane.cells());
    for (auto* numbers : {&below, &above})
        for (std::uint32_t& number : *numbers) number = rng() % 2 ? std::uint32_t(1 + rng() % 2000) : 0;
    const auto set_of = [](std::vector<block_runs::seams::TouchingPair> pairs) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> set;
        for (const block_runs::seams::TouchingPair& pair : pairs) set.emplace_back(pair.below, pair.above);
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        return set;
    };
    exec::CpuExecutor executor(pool());
    constexpr auto c18 = Connectivity::c18;
    const auto pairs_in = [&](auto list) { return set_of(list.between(plane, {below.data(), nullptr}, {above.data(), nullptr})); };
    const auto want = pairs_in(TouchingPairsList<c18, exec::CpuExecutor>(executor));
    CHECK(want.size() > 1000);
    CHECK(pairs_in(TouchingPairsList<c18, exec::CpuExecutor, 2>(executor, 10)) == want);
}

TEST_CASE("slabs: sums beyond 64 bits, of a slab or only of the volume") {
    for (const Extent& extent : {Extent{1 << 20, 1, 16}, Extent{1 << 21, 1, 9}}) {
        const Extent slab{extent.nx, 1, 8};
        CHECK_FALSE(second_moments_fit(extent));
        CHECK(second_moments_fit(slab) == (extent.nz == 16));
        block_runs::Request request;
        request.extent = extent;
        request.connectivity = Connectivity::c6;
        Volume v(std::size_t(extent.voxels()));
        for (std::int64_t i = 0; i < extent.voxels(); ++i) v[std::size_t(i)] = i % extent.nx != extent.nx / 3;
        const ForegroundPacker packer(ScalarType::u8, {});
        MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
        const SumTable want = block_runs::label(request, source, pool())->measure();
        const SumTable got = labelled(request, source, {1, {1, Residency::kept}})->measure();
        REQUIRE(want.size() == 2);
        REQUIRE(got.size() == 2);
        for (std::size_t k = 0; k < 2; ++k) CHECK(bool(got[k] == want[k]));
    }
}

TEST_CASE("slabs: what is timed is right") {
    std::mt19937_64 rng(48);
    for (const oracle::Shape& s : {oracle::Shape{80, 20, 50}, oracle::Shape{81, 20, 50}})
        for (const Connectivity c : all_connectivities) {
            const Volume v = volumes::random(s, 35, 1, 1, rng);
            const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
            std::vector<std::uint32_t> labels(v.size(), 77);
            Times times;
            if (on_gpu()) {
                times = exec::time_cuda_slabs(test_devices(), extent_of(s), c, v.data(), labels.data());
            } else {
                std::vector<std::unique_ptr<exec::CpuExecutor>> devices;
                for (std::size_t d = 0; d < 3; ++d) devices.push_back(device_of_threads(d));
                visit_connectivity(c, [&]<Connectivity K> {
                    times = time_slabs<K>(pointers_to(devices), extent_of(s), plan_slabs<K>(extent_of(s), 3, ~std::size_t{0}, {}), v.data(),
                                          labels.data());
                });
            }
            CHECK(times.components == want.count);
            CHECK(std::equal(labels.begin(), labels.end(), want.of.begin()));
            CHECK(times.label > 0);
            CHECK(times.paint > 0);
        }
}

TEST_CASE("slabs: what is timed is right with several slabs per device") {
    std::mt19937_64 rng(49);
    const oracle::Shape s{81, 20, 100};
    for (const Connectivity c : all_connectivities) {
        const Volume v = volumes::random(s, 35, 1, 1, rng);
        const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
        for (const std::size_t devices : {1, 2}) {
            std::vector<std::uint32_t> labels(v.size(), 77);
            std::vector<std::unique_ptr<exec::CpuExecutor>> executors;
            for (std::size_t d = 0; d < devices; ++d) executors.push_back(device_of_threads(d));
            visit_connectivity(c, [&]<Connectivity K> {
                Plan plan = plan_slabs<K>(extent_of(s), std::int64_t(devices), ~std::size_t{0}, {32, Residency::kept});
                REQUIRE(plan.devices() == devices);
                REQUIRE(plan.slabs.size() > devices);
                const Times times = time_slabs<K>(pointers_to(executors), extent_of(s), std::move(plan), v.data(), labels.data());
                CHECK(times.components == want.count);
            });
            CHECK(std::equal(labels.begin(), labels.end(), want.of.begin()));
        }
    }
}

TEST_CASE("slabs: the plan") {
    constexpr Connectivity K = Connectivity::c26;
    const std::size_t plenty = ~std::size_t{0};
    const auto count = [&](const Extent& e, std::int64_t devices, std::size_t bytes, const Limits& limits = {}) {
        const Plan plan = plan_slabs<K>(e, devices, bytes, limits);
        std::int64_t slices = 0;
        for (std::size_t s = 0; s < plan.slabs.size(); ++s) {
            CHECK(plan.slabs[s].first == slices);
            CHECK(plan.slabs[s].count > 0);
            slices += plan.slabs[s].count;
            CHECK((slices % 16 == 0 || slices == e.nz));
            CHECK(plan.device[s] <= (s > 0 ? plan.device[s - 1] + 1 : 0));
        }
        CHECK(slices == e.nz);
        return plan.slabs.size();
    };
    CHECK(count({100, 100, 100}, 1, plenty) == 1);
    CHECK(count({100, 100, 100}, 2, plenty) == 2);
    CHECK(count({100, 100, 100}, 9, plenty) == 7);
    CHECK(count({100, 100, 100}, 3, plenty, {16, Residency::automatic}) == 7);
    CHECK(count({2048, 2048, 1024}, 1, plenty) == 2);  // 2^32 voxels
    CHECK(count({2048, 2048, 1008}, 1, plenty) == 1);
    CHECK(count({2048, 2048, 4096}, 2, plenty) == 6);
    const std::size_t half = engine_bytes<K>({1024, 1024, 512});
    CHECK(half > std::size_t(1024) * 1024 * 512);
    CHECK(plan_slabs<K>({1024, 1024, 1024}, 1, 3 * half, {}).residency == Residency::kept);
    CHECK(plan_slabs<K>({1024, 1024, 1024}, 1, 2 * half, {}).residency == Residency::one_at_a_time);
    CHECK(count({1024, 1024, 1024}, 1, 2 * half) == 2);
    CHECK(count({1024, 1024, 1024}, 1, 0) == 64);  // 0 bytes: the plan does not fail; the allocation does
    CHECK(plan_slabs<K>({1024, 1024, 1024}, 2, 2 * half, {}).residency == Residency::kept);
    CHECK_THROWS_AS(plan_slabs<K>({1 << 14, 1 << 14, 64}, 1, plenty, {}), Error);
}

TEST_CASE("slabs: what they do not do is refused") {
    const Volume v(256, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {2, 2, 64};  // several layers of tiles, so that two devices have two slabs
    request.rule = Rule::colour;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    for (const std::size_t devices : {1, 2}) CHECK_THROWS_AS(labelled(request, source, {devices, {}}), Error);
}

TEST_CASE("sanitizer: slabs") {
    std::mt19937_64 rng(46);
    const oracle::Shape s{70, 19, 50};
    check_all(volumes::random(s, 45, 1, 1, rng), s, {cuts()[1]});
    check_all(volumes::random(s, 60, 3, 1, rng), s, {cuts()[0]});
}

TEST_CASE("sanitizer: several devices, slabs") {
    std::mt19937_64 rng(47);
    const oracle::Shape s{70, 19, 50};
    check_all(volumes::random(s, 45, 1, 1, rng), s, {cuts()[2], cuts()[3]});
}
