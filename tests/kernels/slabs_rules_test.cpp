// Tests the slab engine with equal values and with periodic axes, against the flood fill and the CPU engine. The devices are as in
// slabs_test.cpp.
#include "kernels/slabs.h"
#include "kernels/volumes.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/gpu_slabs/plan.h"

using namespace slabs_tests;
using published::all_connectivities;
using published::on_gpu;
using published::pool;
using tiles_tests::extent_of;
using tiles_tests::failed_for_host;

namespace {

/// AxisSet axes from bits: 1 is x, 2 is y, 4 is z.
Axes axes_from(unsigned bits) { return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}; }

/// Checks all results of a labelling against the oracle's labels and the CPU engine. Values other than 0 and NaN are foreground.
template <class T>
void check(const std::vector<T>& v, oracle::Shape s, Connectivity c, Rule rule, const Axes& axes, const Cut& cut) {
    INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " rule " << name_of(rule) << " around " << axes[0]
              << axes[1] << axes[2] << " devices " << cut.devices << " slices " << cut.limits.most_slices << " residency "
              << int(cut.limits.residency));
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    auto request = tiles_tests::request_for(s, c);
    request.rule = rule;
    request.periodic.axes = axes;
    const auto access = s.nx % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
    const auto takes_part = [&](long i) { return v[i] != T{} && v[i] == v[i]; };
    const auto joins = [&](long i, long j) { return rule == Rule::foreground || v[i] == v[j]; };
    const oracle::Labels want = oracle::flood_fill_by(s, number_of(c), axes, takes_part, joins);
    const auto got = labelled(request, source, cut);
    CHECK(failed_for_host(*got, s, want) == 0);
    if (rule == Rule::foreground) return;
    CHECK(got->source_values() == block_runs::label(request, source, pool())->source_values());
}

/// Checks a volume by equal values, with the next cut for each connectivity.
template <class T>
void check_values(const std::vector<T>& v, oracle::Shape s, const Axes& axes = {}) {
    for (const Connectivity c : crossing) check(v, s, c, Rule::equal_values, axes, next_cut().front());
}

/// A volume of background with pairs of voxels. One voxel of each pair is often at the start of some axes (in z also at a border of slabs).
/// The other voxel is one random step away, with periodic axes. Pairs therefore often cross edges and corners of the volume and of slabs.
std::vector<std::uint8_t> pairs_across(oracle::Shape s, std::mt19937_64& rng) {
    std::vector<std::uint8_t> v(s.size());
    const auto at = [&](long x, long y, long z) -> std::uint8_t& { return v[(z * s.ny + y) * s.nx + x]; };
    const auto moved = [&rng](long from, long n) { return (from + long(rng() % 3) - 1 + n) % n; };
    for (int pair = 0; pair < 12; ++pair) {
        const long x = rng() % 2 ? 0 : long(rng() % std::size_t(s.nx)), y = rng() % 2 ? 0 : long(rng() % std::size_t(s.ny)),
                   z = rng() % 2 ? 0 : long(rng() % std::size_t(s.nz / 8 + 1)) * 8 % s.nz;
        at(x, y, z) = std::uint8_t(1 + pair % 2);
        at(moved(x, s.nx), moved(y, s.ny), moved(z, s.nz)) = std::uint8_t(1 + pair % 2);
    }
    return v;
}

/// A volume in which neighbours nearly always have different values, also in different slabs.
template <class T>
std::vector<T> distinct(oracle::Shape s, int density, std::mt19937_64& rng) {
    std::vector<T> v(s.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = int(rng() % 100) < density ? T(i * 2654435761u + 1) : T(0);
    return v;
}

}  // namespace

TEST_CASE("slabs: axes that wrap around, random volumes") {
    std::mt19937_64 rng(61);
    for (unsigned axes = 1; axes < 8; axes += sanitized ? 3 : 1)
        for (const int density : {5, 12, 30}) {
            const oracle::Shape s = density % 2 ? oracle::Shape{67, 18, 50} : oracle::Shape{64, 33, 35};
            const auto v = volumes::random(s, density, 1 + int(rng() % 2), 1, rng);
            for (const Connectivity c : all_connectivities) check(v, s, c, Rule::foreground, axes_from(axes), next_cut().front());
            check_values(volumes::random(s, 30 + density, 1, 2, rng), s, axes_from(axes));
        }
}

TEST_CASE("slabs: axes that wrap around, thin volumes and last slabs of one slice") {
    std::mt19937_64 rng(62);
    for (const long nx : {1, 2, 65})
        for (const long ny : {1, 2, 17})
            for (const long nz : {9, 17, 33, 48}) {
                const oracle::Shape s{nx, ny, nz};
                const auto v = volumes::random(s, 20 + int(rng() % 50), 1, 1, rng), values = volumes::random(s, 90, 1, 2, rng);
                const Axes axes = axes_from(1 + unsigned(rng() % 7));
                for (const Connectivity c : crossing) check(v, s, c, Rule::foreground, axes, next_cut().front());
                check_values(values, s, axes);
            }
}

TEST_CASE("slabs: axes that wrap around, pairs of voxels across edges and corners") {
    std::mt19937_64 rng(63);
    for (int i = 0; i < (sanitized ? 10 : 60); ++i) {
        const oracle::Shape s{7 + long(rng() % 4), 5 + long(rng() % 3), 33 + long(rng() % 17)};
        const auto v = pairs_across(s, rng);
        for (const Connectivity c : crossing) check(v, s, c, Rule::foreground, axes_from(unsigned(i) % 8), next_cut().front());
        check_values(v, s, axes_from(unsigned(i) % 8));
    }
}

TEST_CASE("slabs: by equal values, random volumes of 2, 3 and 20 values") {
    std::mt19937_64 rng(64);
    for (const int density : {20, 60, 100})
        for (const int values : {2, 3, 20})
            for (int granularity = 1; granularity <= (sanitized ? 1 : 6); granularity += 5) {
                const oracle::Shape s = values == 3 ? oracle::Shape{135, 37, 41} : oracle::Shape{70, 33, 35};
                check_values(volumes::random(s, density, granularity, values, rng), s);
            }
    const oracle::Shape s{70, 19, 27};
    const auto v = volumes::random(s, 80, 1, 2, rng);
    for (const Cut& cut : cuts()) check(v, s, Connectivity::c18, Rule::equal_values, {}, cut);
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8}) check(v, s, c, Rule::equal_values, {}, cuts()[2]);
}

TEST_CASE("slabs: by equal values, all voxels distinct, slanted planes, checkers, one value") {
    std::mt19937_64 rng(65);
    const oracle::Shape s{66, 19, 26};
    check_values(distinct<std::uint32_t>(s, 100, rng), s);
    check_values(distinct<std::uint16_t>(s, 50, rng), s, {true, true, true});
    std::vector<std::uint16_t> planes(s.size()), checkers(s.size());
    for (long i = 0; i < s.size(); ++i) {
        const long x = i % s.nx, y = i / s.nx % s.ny, z = i / s.nx / s.ny;
        planes[i] = std::uint16_t(1000 + x + y - z);  // equal values of different slices touch only diagonally
        checkers[i] = std::uint16_t(1 + (x + y + z) % 2);
    }
    check_values(planes, s);
    check_values(checkers, s);
    check_values(std::vector<std::uint8_t>(s.size(), 255), s);
    check_values(std::vector<std::uint8_t>(s.size(), 0), s);
}

TEST_CASE_TEMPLATE("slabs: by equal values, of types of every width", T, std::uint8_t, std::int16_t, std::uint32_t, float, double) {
    std::mt19937_64 rng(66);
    using Limits = std::numeric_limits<T>;
    const std::array values{T(0), T(1), Limits::max(), Limits::lowest(), T(-0.0)};
    const oracle::Shape s{70, 9, 20};
    std::vector<T> v(s.size());
    for (T& voxel : v) voxel = values[rng() % values.size()];
    check_values(v, s);
    check_values(v, s, {false, true, true});
}

TEST_CASE("slabs: by equal values, NaN is background and -0.0 is 0.0, also across slabs") {
    const std::array values{std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f, 1.0f};
    std::mt19937_64 rng(67);
    const oracle::Shape s{20, 9, 33};
    std::vector<float> v(s.size());
    std::vector<std::uint8_t> seen(s.size());  // the volume for the oracle
    for (std::size_t i = 0; i < v.size(); ++i) {
        const std::size_t which = rng() % values.size();
        v[i] = values[which], seen[i] = std::uint8_t(which / 2);
    }
    ForegroundRule everything;  // all values that are not above 1000
    everything.kind = ForegroundRule::Kind::above, everything.low = 1000, everything.take = ForegroundRule::Take::complement;
    const ForegroundPacker packer(ScalarType::f32, everything);
    for (const Connectivity c : crossing) {
        auto request = tiles_tests::request_for(s, c);
        request.rule = Rule::equal_values;
        MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
        const auto got = labelled(request, source, next_cut().front());
        CHECK(failed_for_host(*got, s, oracle::flood_fill(seen, s, number_of(c))) == 0);
        CHECK(got->source_values() == block_runs::label(request, source, pool())->source_values());
    }
}

TEST_CASE("slabs: the plan by equal values") {
    constexpr Connectivity K = Connectivity::c26;
    constexpr Rule R = Rule::equal_values;
    const std::size_t plenty = ~std::size_t{0};
    CHECK(plan_slabs<K, R>({100, 100, 100}, 3, plenty, {}).slabs.size() == 3);
    CHECK(plan_slabs<K, R>({100, 100, 100}, 1, plenty, {1, Residency::kept}).slabs.size() == 13);  // 8 slices each
    CHECK(plan_slabs<K, R>({1024, 1024, 2040}, 1, plenty, {}).slabs.size() == 1);
    CHECK(plan_slabs<K, R>({1024, 1024, 2048}, 1, plenty, {}).slabs.size() == 2);  // 2^31 voxels
    const Extent slab{512, 512, 512};
    const std::size_t engine = engine_bytes<K, R>(slab), values = std::size_t(slab.voxels()) * 8;
    CHECK(engine > engine_bytes<K>(slab));
    const std::size_t enough = (engine + values / 2) / 3 * 4;  // enough for values of 2 bytes, but not of 8 bytes
    CHECK(plan_slabs<K, R>(slab, 1, enough, {}, 2).slabs.size() == 1);
    CHECK(plan_slabs<K, R>(slab, 1, enough, {}, 8).slabs.size() == 2);
}

TEST_CASE("sanitizer: slabs by equal values, and of axes that wrap around") {
    std::mt19937_64 rng(68);
    const oracle::Shape s{70, 19, 20};
    check(volumes::random(s, 80, 1, 3, rng), s, Connectivity::c26, Rule::equal_values, {true, false, true}, cuts()[1]);
    check(volumes::random(s, 30, 1, 1, rng), s, Connectivity::c26, Rule::foreground, {true, true, true}, cuts()[0]);
}

TEST_CASE("sanitizer: several devices, slabs by equal values") {
    std::mt19937_64 rng(69);
    const oracle::Shape s{70, 19, 20};
    check(volumes::random(s, 80, 1, 3, rng), s, Connectivity::c26, Rule::equal_values, {true, false, true}, cuts()[2]);
    check(distinct<std::uint16_t>(s, 90, rng), s, Connectivity::c18, Rule::equal_values, {}, cuts()[3]);
}
