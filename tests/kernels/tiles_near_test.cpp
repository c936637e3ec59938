#include "kernels3d/api/memory_source.h"
// Tests the tile engine with Rule::gradient against the flood fill. It runs on the CPU executor, or with --device cuda through the registry
// on the device.
#include "kernels/near.h"
#include "kernels/tiles.h"
#include "kernels/volumes.h"

using namespace voxcc;
using namespace voxcc::block_runs::tiles;
using namespace tiles_tests;
using near_tests::extreme_values, near_tests::flood_fill_near, near_tests::random_values;
using published::all_connectivities;

namespace {

/// Runs only the phases of the engine, with very short lists of pairs. Nearly all pairs are then found again in every round.
/// @return whether the labels equal the oracle's
template <Connectivity K, class T>
bool equal_with_short_lists(const std::vector<T>& v, const ForegroundPacker& packer, oracle::Shape s, double most,
                            const oracle::Labels& want) {
    using Value = WordOf<T>;
    using Rows = ValueRows<Value, NearWords<Value>>;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), extent_of(s), packer);
    std::vector<std::uint64_t> bits(std::size_t((s.nx + 63) / 64 * s.ny * s.nz));
    std::vector<Value> values(v.size());
    pack_rows_and_values(source, extent_of(s), pool(), bits.data(), reinterpret_cast<std::byte*>(values.data()), [](std::int64_t) {});
    exec::CpuExecutor executor(pool());
    Engine<K, exec::CpuExecutor, Rule::equal_values> engine(executor, extent_of(s));
    engine.set_numbering(block_runs::tiles::Numbering::in_phases);
    const Rows rows{grid_of(s), bits.data(), values.data(), NearWords<Value>::of(scalar_type_of<T>(), most)};
    engine.template label_values<Rows, LocalValues<K, Rows, 8>, JoinValues<K, Rows, 8>>(rows);
    if (engine.count() != want.count) return false;
    std::vector<std::uint32_t> labels(v.size(), 77);
    engine.paint({0, s.ny * s.nz}, nullptr, labels.data());
    return std::equal(labels.begin(), labels.end(), want.of.begin());
}

template <class T>
void check(const std::vector<T>& v, oracle::Shape s, double most, std::array<bool, 3> periodic = {}) {
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    for (const Connectivity c : all_connectivities) {
        if (reduced(c, extent_of(s)) != c) continue;
        INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " most " << most);
        auto request = request_for(s, c);
        request.rule = Rule::gradient;
        request.difference = most;
        request.periodic.axes = periodic;
        const auto want = flood_fill_near(v, s, c, most, periodic);
        MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
        const auto got = labelled(request, source);
        CHECK(failed_for_host(*got, s, want) == 0);
        CHECK(got->source_values().empty());
        if constexpr (sizeof(T) == 1)
            if (!on_gpu() && periodic == std::array<bool, 3>{})
                visit_connectivity(c, [&]<Connectivity K> { CHECK(equal_with_short_lists<K>(v, packer, s, most, want)); });
    }
}

}  // namespace

TEST_CASE("tiles of near values: every shape from 1x1x1 to 5x5x5") {
    std::mt19937_64 rng(51);
    for (long nz = 1; nz <= 5; ++nz)
        for (long ny = 1; ny <= 5; ++ny)
            for (long nx = 1; nx <= 5; ++nx) {
                const oracle::Shape s{nx, ny, nz};
                check(random_values<std::uint8_t>(s, 8, rng), s, double(rng() % 4));
            }
}

TEST_CASE("tiles of near values: shapes around the borders of tiles") {
    std::mt19937_64 rng(52);
    for (const oracle::Shape s : {oracle::Shape{63, 9, 3}, {64, 8, 8}, {65, 17, 9}, {130, 4, 10}, {129, 70, 1}, {3, 20, 20}, {200, 1, 1}})
        for (const int values : {4, 10, 40})
            for (const double most : {0.0, 1.0, 3.0, 12.5}) check(random_values<std::uint8_t>(s, values, rng), s, most);
}

TEST_CASE_TEMPLATE("tiles of near values: values of all types", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(53);
    const oracle::Shape s{70, 9, 10};
    for (const double most : {0.0, 2.0, 200.0, 1e10, 1e30}) check(extreme_values<T>(s, rng), s, most);
    for (const double most : {0.0, 1.0, 2.5}) check(random_values<T>(s, 12, rng), s, most);
}

TEST_CASE("tiles of near values: periodic axes") {
    std::mt19937_64 rng(54);
    for (int i = 0; i < 24; ++i) {
        const oracle::Shape s{1 + long(rng() % 140), 1 + long(rng() % 20), 1 + long(rng() % 12)};
        check(random_values<std::int16_t>(s, 12, rng), s, double(rng() % 3), {bool(rng() % 2), bool(rng() % 2), bool(rng() % 2)});
    }
}

TEST_CASE("sanitizer: tiles of near values") {
    std::mt19937_64 rng(55);
    const oracle::Shape s{70, 19, 20};
    check(random_values<std::uint8_t>(s, 9, rng), s, 1);
    check(random_values<float>(s, 9, rng), s, 1);
}
