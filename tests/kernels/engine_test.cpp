// Tests the block-runs engine against the flood fill: every connectivity, instruction set, thread count, source, rule and output type.
#include <voxcc/label.h>

#include "kernels/instruction_sets.h"
#include "kernels/oracle.h"
#include "kernels/sanitized.h"
#include "kernels/sums.h"
#include "kernels/volumes.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace voxcc;

namespace {

constexpr Connectivity all_connectivities[] = {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26};

ThreadPool& pool(int threads) {
    static ThreadPool pools[3] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
    return pools[threads - 1];
}

/// Returns rows as file readers do: a few at a time, in a buffer that the next call overwrites.
struct StreamedSource : MemorySource {
    using MemorySource::MemorySource;
    std::int64_t rows_per_fetch() const override { return 5; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        const std::byte* const from = MemorySource::fetch(rows, buffer);
        buffer.assign(from, MemorySource::fetch({rows.end(), 0}, buffer));
        return buffer.data();
    }
    Lifetime lifetime() const override { return Lifetime::until_next_fetch; }
};

/// The settings with which a volume is labelled.
struct Way {
    Isa isa = best_isa();
    int threads = 1;
    RowSource::Access access = RowSource::Access::concurrent;
    Rule rule = Rule::foreground;
    block_runs::Request::IdWidth ids = block_runs::Request::IdWidth::automatic;
    std::array<bool, 3> periodic{};
};

template <class T>
std::unique_ptr<Labelling> run(const std::vector<T>& v, oracle::Shape s, Connectivity c, const Way& way) {
    block_runs::Request request;
    request.extent = {s.nx, s.ny, s.nz};
    request.connectivity = c;
    request.rule = way.rule;
    request.isa = way.isa;
    request.id_width = way.ids;
    request.periodic.axes = way.periodic;
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    const auto label_from = [&]<class Source>(std::type_identity<Source>) {
        Source source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, way.isa, way.access);
        return block_runs::label(request, source, pool(way.threads));
    };
    if (way.access == RowSource::Access::in_order) return label_from(std::type_identity<StreamedSource>{});
    return label_from(std::type_identity<MemorySource>{});
}

template <class T>
std::vector<std::uint64_t> painted(Labelling& l, oracle::Shape s, Stores stores) {
    l.prepare_paint(scalar_type_of<T>(), {});
    std::vector<T> out(s.size(), T(77));
    l.paint({0, s.ny * s.nz}, reinterpret_cast<std::byte*>(out.data()), stores);
    return {out.begin(), out.end()};
}

/// 0 if all results of the labelling equal the oracle's, else the number of the first check that failed.
template <class T>
int failed_check(const std::vector<T>& v, oracle::Shape s, Connectivity c, const Way& way, const oracle::Labels& want) {
    const auto got = run(v, s, c, way);
    if (got->count() != want.count) return 1;
    if (painted<std::uint32_t>(*got, s, Stores::streaming) != want.of) return 2;
    if (want.count < 256 && painted<std::uint8_t>(*got, s, Stores::cached) != want.of) return 3;
    if (want.count < 65536 && painted<std::uint16_t>(*got, s, Stores::cached) != want.of) return 4;
    if (painted<std::uint64_t>(*got, s, Stores::cached) != want.of) return 5;
    const oracle::ComponentSums sums = oracle::sums_of(want, s);
    if (!oracle::equal(got->measure(), sums)) return 6;
    const std::vector<std::uint64_t> sizes = component_sizes(*got);
    if (sizes.size() != sums.size()) return 9;
    for (std::size_t k = 0; k < sums.size(); ++k)
        if (sizes[k] != sums[k].n) return 10;
    if (way.rule == Rule::equal_values) {
        const auto values = got->source_values();
        for (long i = 0; i < s.size(); ++i)
            if (want.of[i] && values[want.of[i] - 1] != std::uint64_t(std::int64_t(v[i]))) return 8;
    }
    return 0;
}

template <class T>
void check_all(const std::vector<T>& v, oracle::Shape s, const std::vector<Way>& ways) {
    for (const Connectivity c : all_connectivities) {
        const int neighbours = number_of(c);
        const oracle::Labels want = oracle::flood_fill(v, s, neighbours, ways.front().periodic);
        for (const Way& way : ways) {
            const int failed = failed_check(v, s, c, way, want);
            if (!failed) continue;
            INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << neighbours << " threads " << way.threads << " "
                      << name_of(way.isa));
            CHECK(failed == 0);
        }
    }
}

std::vector<Way> all_ways(Rule rule) {
    std::vector<Way> ways;
    for (const Isa isa : instruction_sets()) {
        Way way;
        way.isa = isa, way.rule = rule;
        ways.push_back(way);
        way.threads = 3;
        ways.push_back(way);
        for (const int threads : {1, 2}) {
            way.threads = threads, way.access = RowSource::Access::in_order;
            ways.push_back(way);
        }
    }
    ways.back().ids = block_runs::Request::IdWidth::wide;
    return ways;
}

}  // namespace

TEST_CASE("all 2^18 volumes of 3x3x2, every connectivity") {
    const oracle::Shape s{3, 3, 2};
    std::vector<std::uint8_t> v(18);
    std::vector<std::uint32_t> out(18);
    for (const Connectivity c : all_connectivities) {
        std::uint64_t wrong = 0;
        for (std::uint32_t bits = 0; bits < 1u << 18; bits += sanitized ? 43 : 1) {
            for (int i = 0; i < 18; ++i) v[i] = bits >> i & 1;
            const auto want = oracle::flood_fill(v, s, number_of(c));
            const auto got = run(v, s, c, {});
            got->prepare_paint(ScalarType::u32, {});
            got->paint({0, 6}, reinterpret_cast<std::byte*>(out.data()), Stores::cached);
            wrong += got->count() != want.count || !std::equal(out.begin(), out.end(), want.of.begin());
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("every shape from 1x1x1 to 9x9x9, several densities") {
    std::mt19937_64 rng(1);
    const auto binary = all_ways(Rule::foreground), multi = all_ways(Rule::equal_values);
    const long step = sanitized ? 2 : 1;
    for (long nz = 1; nz <= 9; nz += step)
        for (long ny = 1; ny <= 9; ny += step)
            for (long nx = 1; nx <= 9; nx += step) {
                const oracle::Shape s{nx, ny, nz};
                const int density = std::array{5, 20, 31, 50, 80, 95, 100}[rng() % 7];
                check_all(volumes::random(s, density, 1 + int(rng() % 2), 1, rng), s, binary);
                check_all(volumes::random(s, density, 1 + int(rng() % 2), 3, rng), s, multi);
            }
}

TEST_CASE("wide rows: words, word boundaries and last words") {
    std::mt19937_64 rng(2);
    const auto binary = all_ways(Rule::foreground), multi = all_ways(Rule::equal_values);
    for (int i = 0; i < (sanitized ? 20 : 150); ++i) {
        oracle::Shape s{1 + long(rng() % 330), 1 + long(rng() % 9), 1 + long(rng() % 9)};
        if (i % 8 == 0) s.nx = 64 * (1 + long(rng() % 6));
        if (i % 5 == 0) s.nz = 1;
        if (i % 7 == 0) s.nz = 24;
        const int density = int(rng() % 101), granularity = 1 + int(rng() % 4);
        check_all(volumes::random(s, density, granularity, 1, rng), s, binary);
        check_all(volumes::random(s, density, granularity, 4, rng), s, multi);
    }
}

TEST_CASE("components that begin in the same layer, far apart in columns and rows") {
    std::mt19937_64 rng(3);
    auto ways = all_ways(Rule::foreground);
    if (sanitized) ways.resize(2);  // the ways with one and three threads
    for (const oracle::Shape s : {oracle::Shape{9000, 3, 3}, {700, 41, 5}, {130, 150, 4}, {3, 2000, 3}, {20000, 5, 1}})
        for (const int density : {1, 8, 30})
            if (density == 8 || !sanitized) check_all(volumes::random(s, density, 1, 1, rng), s, ways);
}

TEST_CASE("degenerate, empty and full volumes") {
    const auto ways = all_ways(Rule::foreground);
    for (const oracle::Shape s :
         {oracle::Shape{1, 1, 1}, {1, 500, 1}, {500, 1, 1}, {1, 1, 500}, {65, 1, 33}, {1, 65, 33}, {130, 130, 1}, {64, 2, 2}})
        for (const std::uint8_t value : {0, 1, 255}) check_all(std::vector<std::uint8_t>(s.size(), value), s, ways);
    for (int corner = 0; corner < 8; ++corner) {  // a single voxel in each corner
        const oracle::Shape s{67, 5, 4};
        std::vector<std::uint8_t> v(s.size());
        v[(corner & 1 ? s.nx - 1 : 0) + s.nx * ((corner & 2 ? s.ny - 1 : 0) + s.ny * (corner & 4 ? s.nz - 1 : 0))] = 1;
        check_all(v, s, ways);
    }
}

TEST_CASE("checkerboard: the largest possible number of components") {
    const oracle::Shape s{70, 11, 9};
    std::vector<std::uint8_t> v(s.size());
    for (long i = 0; i < s.size(); ++i) v[i] = (i % s.nx + i / s.nx % s.ny + i / s.nx / s.ny) % 2 == 0;
    check_all(v, s, all_ways(Rule::foreground));
}

TEST_CASE("periodic axes") {
    std::mt19937_64 rng(3);
    for (int i = 0; i < 200; ++i) {
        const oracle::Shape s{1 + long(rng() % 70), 1 + long(rng() % 7), 1 + long(rng() % 7)};
        Way way;
        way.periodic = {bool(rng() % 2), bool(rng() % 2), bool(rng() % 2)};
        way.threads = 1 + int(rng() % 3);
        way.rule = i % 2 ? Rule::equal_values : Rule::foreground;
        check_all(volumes::random(s, int(rng() % 60), 1, i % 2 ? 3 : 1, rng), s, {way});
    }
}

TEST_CASE_TEMPLATE("multi-label of every type: negative, huge and floating values stay distinct", T, std::int8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double) {
    std::mt19937_64 rng(4);
    const oracle::Shape s{37, 6, 5};
    const T values[] = {T(0), T(1), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(std::numeric_limits<T>::max() / 2)};
    std::vector<T> v(s.size());
    for (T& voxel : v) voxel = values[rng() % 5];
    if constexpr (std::is_floating_point_v<T>) v[3] = std::numeric_limits<T>::quiet_NaN(), v[5] = T(-0.0);
    Way way;
    way.rule = Rule::equal_values;
    for (const Connectivity c : all_connectivities) {
        const auto want = oracle::flood_fill(v, s, number_of(c));
        const auto got = run(v, s, c, way);
        CHECK(got->count() == want.count);
        CHECK(painted<std::uint32_t>(*got, s, Stores::cached) == want.of);
    }
}

TEST_CASE("final numbers are painted in place of raster-order numbers") {
    const oracle::Shape s{9, 1, 1};
    const std::vector<std::uint8_t> v{1, 0, 1, 1, 0, 0, 1, 0, 1};
    const auto got = run(v, s, Connectivity::c6, {});
    REQUIRE(got->count() == 4);
    const std::vector<std::uint64_t> numbers{0, 300, 0, 7};
    got->prepare_paint(ScalarType::u16, numbers);
    std::vector<std::uint16_t> out(9, 77);
    got->paint({0, 1}, reinterpret_cast<std::byte*>(out.data()), Stores::cached);
    CHECK(out == std::vector<std::uint16_t>{0, 0, 300, 300, 0, 0, 0, 0, 7});
}

TEST_CASE("second moments beyond 64 bits") {
    // One row of 2^22 voxels: the sum of x^2 is about 2^64.4.
    const oracle::Shape s{1 << 22, 1, 1};
    const auto got = run(std::vector<std::uint8_t>(s.size(), 1), s, Connectivity::c6, {});
    const SumTable table = got->measure();
    REQUIRE(table.size() == 1);
    const uint128 n = s.size();
    CHECK(bool(table[0].xx == (n - 1) * n * (2 * n - 1) / 6));
}

TEST_CASE("neighbouring runs of one component, far apart in a long row") {
    // The second row is empty except at its ends. The first row joins the ends.
    const oracle::Shape s{3 << 20, 2, 1};
    std::vector<std::uint8_t> v(s.size(), 1);
    std::fill(v.begin() + s.nx + 5, v.end() - 7, std::uint8_t{0});
    for (const Isa isa : instruction_sets()) {
        Way way;
        way.isa = isa;
        const auto got = run(v, s, Connectivity::c6, way);
        const SumTable table = got->measure();
        REQUIRE(table.size() == 1);
        const std::uint64_t n = s.nx, ends = 5 * 4 / 2 + 7 * (n - 7) + 7 * 6 / 2;
        CHECK(table[0].n == n + 12);
        CHECK(table[0].x == n * (n - 1) / 2 + ends);
        CHECK(bool(table[0].xy == ends));
        CHECK(table[0].y == 12);
        CHECK(table[0].x0 == 0);
        CHECK(table[0].x1 == n - 1);
        CHECK(table[0].y1 == 1);
    }
}

TEST_CASE("an exception of a source ends the labelling, on any thread") {
    struct Broken : MemorySource {
        using MemorySource::MemorySource;
        const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
            if (rows.end() > 20) throw Error(ErrorKind::invalid_file, "file", "cut short");
            return MemorySource::fetch(rows, buffer);
        }
    };
    const std::vector<std::uint8_t> v(64 * 64, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = {64, 8, 8};
    for (const auto access : {RowSource::Access::concurrent, RowSource::Access::in_order})
        for (int threads = 1; threads <= 3; ++threads) {
            Broken source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
            CHECK_THROWS_AS(block_runs::label(request, source, pool(threads)), Error);
        }
}

TEST_CASE("multi-label: NaN is background, also with an inverted rule") {
    std::mt19937_64 rng(31);
    const oracle::Shape s{37, 19, 23};
    std::vector<float> v(s.size());
    std::vector<std::uint8_t> kinds(s.size());  // the volume for the oracle
    for (std::size_t i = 0; i < v.size(); ++i) {
        kinds[i] = std::uint8_t(rng() % 3);
        v[i] = kinds[i] == 0 ? std::numeric_limits<float>::quiet_NaN() : float(kinds[i]);
    }
    ForegroundRule everything;  // all values that are not above 1000
    everything.kind = ForegroundRule::Kind::above, everything.low = 1000, everything.take = ForegroundRule::Take::complement;
    const ForegroundPacker packer(ScalarType::f32, everything);
    for (const Connectivity c : all_connectivities) {
        const oracle::Labels want = oracle::flood_fill(kinds, s, number_of(c));
        for (const Isa isa : instruction_sets())
            for (int threads = 1; threads <= 3; ++threads) {
                block_runs::Request request;
                request.extent = {s.nx, s.ny, s.nz};
                request.connectivity = c, request.rule = Rule::equal_values, request.isa = isa;
                MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, isa);
                const auto got = block_runs::label(request, source, pool(threads));
                INFO("connectivity " << number_of(c) << " threads " << threads);
                CHECK(painted<std::uint32_t>(*got, s, Stores::cached) == want.of);
            }
    }
}
