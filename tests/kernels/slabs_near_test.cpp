#include "kernels3d/api/memory_source.h"
// Tests the slab engine with Rule::gradient against the flood fill. The devices are as in slabs_test.cpp.
#include "kernels/near.h"
#include "kernels/slabs.h"
#include "kernels/volumes.h"

using namespace slabs_tests;
using near_tests::extreme_values, near_tests::flood_fill_near, near_tests::random_values;
using published::all_connectivities;
using published::on_gpu;
using published::pool;
using tiles_tests::failed_for_host;

namespace {

/// Checks all results of a labelling against the oracle's labels. Values other than 0 and NaN are foreground.
template <class T>
void check(const std::vector<T>& v, oracle::Shape s, Connectivity c, double most, const Axes& axes, const Cut& cut) {
    INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " most " << most << " around " << axes[0] << axes[1]
              << axes[2] << " devices " << cut.devices << " slices " << cut.limits.most_slices << " residency "
              << int(cut.limits.residency));
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    auto request = tiles_tests::request_for(s, c);
    request.rule = Rule::gradient;
    request.difference = most;
    request.periodic.axes = axes;
    const auto access = s.nx % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
    const auto got = labelled(request, source, cut);
    CHECK(failed_for_host(*got, s, flood_fill_near(v, s, c, most, axes)) == 0);
    CHECK(got->source_values().empty());
}

/// Checks a volume with the next cut for each connectivity.
template <class T>
void check_next(const std::vector<T>& v, oracle::Shape s, double most, const Axes& axes = {}) {
    for (const Connectivity c : crossing) check(v, s, c, most, axes, next_cut().front());
}

Axes random_axes(std::mt19937_64& rng) { return {rng() % 2 == 0, rng() % 2 == 0, rng() % 2 == 0}; }

}  // namespace

TEST_CASE("slabs of near values: all cuts and connectivities") {
    std::mt19937_64 rng(91);
    const oracle::Shape s{70, 19, 27};
    const auto v = random_values<std::uint8_t>(s, 12, rng);
    for (const Cut& cut : cuts())
        for (const Connectivity c : all_connectivities) check(v, s, c, 1, {}, cut);
}

TEST_CASE("slabs of near values: shapes around the borders of tiles") {
    std::mt19937_64 rng(92);
    for (const oracle::Shape s : {oracle::Shape{1, 1, 9}, {1, 1, 40}, {1, 20, 17}, {63, 9, 16}, {64, 8, 17}, {65, 17, 33}, {130, 4, 10}})
        for (const int values : {4, 10, 40})
            for (const double most : {0.0, 1.0, 3.0, 12.5}) check_next(random_values<std::int16_t>(s, values, rng), s, most);
}

TEST_CASE_TEMPLATE("slabs of near values: values of all types", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(93);
    const oracle::Shape s{67, 9, 20};
    for (const double most : {0.0, 2.0, 200.0, 1e10, 1e30}) check_next(extreme_values<T>(s, rng), s, most);
    for (const double most : {0.0, 1.0, 2.5}) check_next(random_values<T>(s, 12, rng), s, most, random_axes(rng));
}

TEST_CASE("slabs of near values: axes that wrap around") {
    std::mt19937_64 rng(94);
    for (int i = 0; i < (sanitized ? 6 : 30); ++i) {
        const oracle::Shape s{1 + long(rng() % 140), 1 + long(rng() % 20), 9 + long(rng() % 40)};
        check_next(random_values<std::uint16_t>(s, 12, rng), s, double(rng() % 3), random_axes(rng));
    }
}

TEST_CASE("slabs of near values: slopes along z, and differences near the limit") {
    std::mt19937_64 rng(95);
    const oracle::Shape s{66, 10, 34};
    std::vector<float> slope(s.size()), steps(s.size());
    for (long i = 0; i < s.size(); ++i) {
        slope[i] = 1 + 0.1f * float(i / s.nx / s.ny);             // rounded differences are above and below the limit
        steps[i] = rng() % 2 ? 1 + float(rng() % 3) : -0x1p-60f;  // 1 and -2^-60 differ by more than 1
    }
    check_next(slope, s, double(0.1f));
    check_next(steps, s, 1);
    std::vector<std::uint8_t> ramp(s.size());
    for (long i = 0; i < s.size(); ++i) ramp[i] = std::uint8_t(1 + 3 * (i / s.nx / s.ny) + i % s.nx % 4);  // every slice joins the next one
    check_next(ramp, s, 1);
    check_next(ramp, s, 0);
}

TEST_CASE("sanitizer: slabs of near values") {
    std::mt19937_64 rng(96);
    const oracle::Shape s{70, 19, 20};
    check(random_values<std::int16_t>(s, 9, rng), s, Connectivity::c26, 1, {true, false, true}, cuts()[1]);
}

TEST_CASE("sanitizer: several devices, slabs of near values") {
    std::mt19937_64 rng(97);
    const oracle::Shape s{70, 19, 20};
    check(random_values<float>(s, 9, rng), s, Connectivity::c18, 1, {false, true, true}, cuts()[3]);
}
