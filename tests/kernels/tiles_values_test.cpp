#include "kernels3d/api/memory_source.h"
// Tests the tile engine by equal values against the flood fill and the CPU engine. It runs on the CPU executor, or with --device cuda
// through the registry on the device.
#include "kernels/tiles.h"
#include "kernels/volumes.h"

using namespace voxcc;
using namespace voxcc::block_runs::tiles;
using namespace tiles_tests;
using published::all_connectivities;

namespace {

/// Runs only the phases of the engine, with very short lists of pairs. Nearly all pairs are then found again in every round.
/// @return whether the labels equal the oracle's
template <Connectivity K, class T>
bool equal_with_short_lists(const std::vector<T>& v, const ForegroundPacker& packer, oracle::Shape s, const oracle::Labels& want) {
    using Value = WordOf<T>;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), extent_of(s), packer);
    std::vector<std::uint64_t> bits(std::size_t((s.nx + 63) / 64 * s.ny * s.nz));
    std::vector<Value> values(v.size());
    pack_rows_and_values(source, extent_of(s), pool(), bits.data(), reinterpret_cast<std::byte*>(values.data()), [](std::int64_t) {});
    exec::CpuExecutor executor(pool());
    Engine<K, exec::CpuExecutor, Rule::equal_values> engine(executor, extent_of(s));
    engine.set_numbering(block_runs::tiles::Numbering::in_phases);
    const ValueRows<Value> rows{grid_of(s), bits.data(), values.data()};
    engine.template label_values<ValueRows<Value>, LocalValues<K, ValueRows<Value>, 8>, JoinValues<K, ValueRows<Value>, 8>>(rows);
    if (engine.count() != want.count) return false;
    std::vector<std::uint64_t> first(want.count);
    for (long i = s.size() - 1; i >= 0; --i)
        if (want.of[i] != 0) first[want.of[i] - 1] = values[i];
    if (executor.fetch(engine.first_values(rows)) != first) return false;
    std::vector<std::uint32_t> labels(v.size(), 77);
    engine.paint({0, s.ny * s.nz}, nullptr, labels.data());
    return std::equal(labels.begin(), labels.end(), want.of.begin());
}

/// Checks all results of a labelling against the oracle's labels and the CPU engine.
template <class T>
void check(const std::vector<T>& v, oracle::Shape s, Connectivity c, const oracle::Labels& want, const ForegroundRule& foreground = {}) {
    INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
    const ForegroundPacker packer(scalar_type_of<T>(), foreground);
    auto request = request_for(s, c);
    request.rule = Rule::equal_values;
    const auto access = s.nx % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
    const auto got = labelled(request, source), peer = block_runs::label(request, source, pool());
    CHECK(failed_for_host(*got, s, want) == 0);
    CHECK(failed_for_host(*peer, s, want) == 0);
    CHECK(got->source_values() == peer->source_values());
    if (on_gpu()) return;
    visit_connectivity(c, [&]<Connectivity K> { CHECK(equal_with_short_lists<K>(v, packer, s, want)); });
}

/// Checks all connectivities, except connectivities that are reduced to others in an image.
template <class T>
void check_all(const std::vector<T>& v, oracle::Shape s) {
    for (const Connectivity c : all_connectivities)
        if (reduced(c, extent_of(s)) == c) check(v, s, c, oracle::flood_fill(v, s, number_of(c)));
}

/// A volume that contains many small volumes of one shape, with background between them. The small volumes have consecutive numbers. The
/// voxels of a small volume are the digits of its number in base `values`.
struct SideBySide {
    oracle::Shape cell;
    std::uint32_t values;  // base: digits are 0..values-1
    static constexpr long along_x = 32, along_y = 16, along_z = 4, count = along_x * along_y * along_z;

    oracle::Shape shape() const { return {along_x * (cell.nx + 1), along_y * (cell.ny + 1), along_z * (cell.nz + 1)}; }
    std::uint32_t all() const {
        std::uint32_t n = 1;
        for (long i = 0; i < cell.size(); ++i) n *= values;
        return n;
    }
    std::vector<std::uint8_t> from(std::uint32_t first) const {
        const oracle::Shape s = shape();
        std::vector<std::uint8_t> v(s.size());
        for (long n = 0; n < count; ++n) {
            const long x = n % along_x * (cell.nx + 1), y = n / along_x % along_y * (cell.ny + 1),
                       z = n / along_x / along_y * (cell.nz + 1);
            std::uint32_t digits = first + std::uint32_t(n);
            for (long i = 0; i < cell.size(); ++i, digits /= values)
                v[((z + i / cell.nx / cell.ny) * s.ny + y + i / cell.nx % cell.ny) * s.nx + x + i % cell.nx] = digits % values;
        }
        return v;
    }
};

/// A volume in which neighbours nearly always have different values. With density 100, all voxels are distinct.
std::vector<std::uint32_t> distinct(oracle::Shape s, int density, std::mt19937_64& rng) {
    std::vector<std::uint32_t> v(s.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = int(rng() % 100) < density ? std::uint32_t(i * 2654435761u + 1) : 0;
    return v;
}

/// A volume of a few values of the type, with its limits and background.
template <class T>
std::vector<T> values_of_type(oracle::Shape s, std::mt19937_64& rng) {
    using Limits = std::numeric_limits<T>;
    const std::array values{T(0), T(1), Limits::max(), Limits::lowest(), T(Limits::max() / 2)};
    std::vector<T> v(s.size());
    for (T& voxel : v) voxel = values[rng() % values.size()];
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < v.size(); i += 7) v[i] = std::array{Limits::infinity(), Limits::quiet_NaN(), T(-0.0)}[rng() % 3];
    return v;
}

}  // namespace

TEST_CASE("tiles of values: all volumes of 2x2x2 with four values, 3x3x1 and 2x3x2 with three") {
    for (const SideBySide& volumes : {SideBySide{{2, 2, 2}, 4}, {{3, 3, 1}, 3}, {{2, 3, 2}, 3}})
        for (std::uint32_t first = 0; first < volumes.all(); first += SideBySide::count * (volumes.cell.size() < 12 && !sanitized ? 1 : 16))
            check_all(volumes.from(first), volumes.shape());
}

TEST_CASE("tiles of values: every shape from 1x1x1 to 5x5x5") {
    std::mt19937_64 rng(41);
    for (long nz = 1; nz <= 5; ++nz)
        for (long ny = 1; ny <= 5; ++ny)
            for (long nx = 1; nx <= 5; nx += sanitized ? 2 : 1) {
                const oracle::Shape s{nx, ny, nz};
                check_all(volumes::random(s, 30 + 35 * int(rng() % 3), 1, 2 + int(rng() % 2), rng), s);
            }
}

TEST_CASE("tiles of values: shapes around the borders of tiles") {
    std::mt19937_64 rng(42);
    constexpr std::array edges{7, 8, 9, 15, 16, 17};
    for (const long nx : {63, 64, 65, 127, 129})
        for (std::size_t i = 0; i < edges.size(); ++i)
            for (std::size_t j = 0; j < edges.size(); j += sanitized ? 3 : 1) {
                const oracle::Shape s{nx, edges[i], edges[(i + j) % edges.size()]};
                check_all(volumes::random(s, std::array{40, 70, 100}[rng() % 3], 1 + int(rng() % 2), 2 + int(rng() % 3), rng), s);
            }
    for (const long ny : {63, 64, 65, 127, 128, 129})
        for (const long nx : {63, 64, 65, 128}) {
            const oracle::Shape s{nx, ny, 1 + long(rng() % 2)};
            check_all(volumes::random(s, 50 + int(rng() % 51), 1, 2 + int(rng() % 2), rng), s);
        }
}

TEST_CASE("tiles of values: random volumes of 2, 3 and 20 values, several tiles along each axis") {
    std::mt19937_64 rng(43);
    for (const int density : {20, 60, 100})
        for (const int values : {2, 3, 20})
            for (int granularity = 1; granularity <= (sanitized ? 1 : 6); granularity += 5) {
                const oracle::Shape s = values == 3 ? oracle::Shape{135, 37, 21} : oracle::Shape{144, 33, 35};
                check_all(volumes::random(s, density, granularity, values, rng), s);
                const oracle::Shape flat{97 + long(rng() % 100), 280, 1};
                check_all(volumes::random(flat, density, granularity, values, rng), flat);
            }
}

TEST_CASE("tiles of values: distinct voxels, with the maximum number of runs and components per tile") {
    std::mt19937_64 rng(44);
    for (const int density : {50, 100}) {
        const oracle::Shape s{130, 17, 18}, flat{131, 130, 1};
        check_all(distinct(s, density, rng), s);
        check_all(distinct(flat, density, rng), flat);
    }
    const oracle::Shape s{150, 19, 21};
    std::vector<std::uint16_t> diagonals(s.size()), checkers(s.size());
    for (long i = 0; i < s.size(); ++i) {
        const long x = i % s.nx, y = i / s.nx % s.ny, z = i / s.nx / s.ny;
        diagonals[i] = std::uint16_t(1000 + x + y - z);  // equal values touch only diagonally
        checkers[i] = std::uint16_t(1 + (x + y + z) % 2);
    }
    check_all(diagonals, s);
    check_all(checkers, s);
}

TEST_CASE("tiles of values: thousands of tiles, for which phase local sets the marks") {
    if (!on_gpu()) return;  // check() chooses this way on the CPU
    std::mt19937_64 rng(39);
    for (const int density : {3, 25, 60, 100})
        check_all(volumes::random({5, 8 * 65 - 3, 8 * 64}, density, 1, 3, rng), {5, 8 * 65 - 3, 8 * 64});
}

TEST_CASE("tiles of values: degenerate and full volumes, spirals and Hilbert curves with their surroundings") {
    for (const oracle::Shape s : {oracle::Shape{1, 1, 1}, {1, 500, 1}, {500, 1, 1}, {1, 1, 500}, {65, 1, 33}, {1, 65, 33}, {64, 64, 16}})
        for (const std::uint8_t value : {0, 255}) check_all(std::vector<std::uint8_t>(s.size(), value), s);
    TestVolumeRecipe hilbert, spiral;
    hilbert.kind = TestVolumeKind::hilbert, hilbert.order = sanitized ? 3 : 5;
    const std::int64_t edge = std::int64_t{2} << hilbert.order;
    hilbert.extent = {edge, edge, edge};
    spiral.kind = TestVolumeKind::spiral, spiral.extent = {141, 147, 1};
    for (const TestVolumeRecipe& recipe : {hilbert, spiral}) {
        std::vector<std::uint8_t> v = volumes::made(recipe);
        for (std::uint8_t& voxel : v) voxel = voxel ? 2 : 1;
        check_all(v, {recipe.extent.nx, recipe.extent.ny, recipe.extent.nz});
    }
}

TEST_CASE_TEMPLATE("tiles of values: every type", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(45);
    for (const oracle::Shape s : {oracle::Shape{70, 9, 10}, {131, 67, 1}}) check_all(values_of_type<T>(s, rng), s);
}

TEST_CASE_TEMPLATE("tiles of values: NaN is background and -0.0 is 0.0", T, float, double) {
    std::mt19937_64 rng(46);
    using Limits = std::numeric_limits<T>;
    const std::array values{Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(), T(0.0), T(-0.0), T(1)};
    constexpr std::array kinds{0, 0, 0, 1, 1, 2};  // the voxel values for the oracle
    const oracle::Shape s{70, 17, 9};
    std::vector<T> v(s.size());
    std::vector<std::uint8_t> seen(s.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const std::size_t which = rng() % values.size();
        v[i] = values[which], seen[i] = std::uint8_t(kinds[which]);
    }
    ForegroundRule everything;  // all values that are not above 1000
    everything.kind = ForegroundRule::Kind::above, everything.low = 1000, everything.take = ForegroundRule::Take::complement;
    for (const Connectivity c : all_connectivities) check(v, s, c, oracle::flood_fill(seen, s, number_of(c)), everything);
}

TEST_CASE("tiles of values: equal values of the background do not join") {
    std::mt19937_64 rng(47);
    const oracle::Shape s{131, 18, 11};
    std::vector<std::int16_t> v(s.size());
    for (auto& voxel : v) voxel = std::int16_t(int(rng() % 5) - 2);
    const ForegroundRule foreground{.kind = ForegroundRule::Kind::at_least, .low = -1};
    for (const Connectivity c : all_connectivities) {
        const auto takes_part = [&](long i) { return v[i] >= -1; };
        const auto joins = [&](long i, long j) { return v[i] == v[j]; };
        check(v, s, c, oracle::flood_fill_by(s, number_of(c), {}, takes_part, joins), foreground);
    }
}

TEST_CASE("sanitizer: tiles of values") {
    std::mt19937_64 rng(48);
    for (const oracle::Shape& s : {oracle::Shape{70, 19, 18}, {70, 133, 1}}) {
        check_all(volumes::random(s, 80, 1, 3, rng), s);
        check_all(distinct(s, 90, rng), s);
    }
}
