// Tests the limit on memory for runs and components: a labelling either succeeds with the right results, or throws MemoryLimitReached and
// gives everything back.
#include <voxcc/label.h>
#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include "kernels/tiles.h"
#include "kernels/volumes.h"

#include <atomic>
#include <optional>

using namespace voxcc;
using published::all_connectivities;
using tiles_tests::extent_of;
using tiles_tests::failed_for_host;
using tiles_tests::request_for;

namespace {

constexpr std::int64_t unlimited = std::int64_t{1} << 40;

struct Way {
    const char* algorithm = "block-runs";
    Rule rule = Rule::foreground;
    std::int64_t slices = 0;
    int threads = 1;
    RowSource::Access access = RowSource::Access::concurrent;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << way.algorithm << ", " << name_of(way.rule) << ", slices " << way.slices << ", threads " << way.threads;
}

constexpr Way ways[] = {{},
                        {.threads = 3},
                        {.threads = 3, .access = RowSource::Access::in_order},
                        {.rule = Rule::equal_values},
                        {.rule = Rule::equal_values, .threads = 3, .access = RowSource::Access::in_order},
                        {.slices = 5, .threads = 2},
                        {.rule = Rule::equal_values, .slices = 6, .threads = 2},
                        {.algorithm = "uf"},
                        {.algorithm = "buf", .threads = 2},
                        {.algorithm = "ha4"}};

struct Case {
    oracle::Shape shape;
    std::vector<std::uint8_t> voxels;
    Connectivity connectivity = Connectivity::c6;
};

/// Labels within a limit of `bytes` and checks all results.
/// @return nullopt if the limit was reached; 0 if all results equal `want`, else the number of the check that failed
std::optional<int> labelled_within(std::int64_t bytes, const Case& c, const Way& way, const oracle::Labels& want) {
    MemoryLimit limit(bytes);
    std::optional<int> failed;
    try {
        block_runs::Request request = request_for(c.shape, c.connectivity);
        request.rule = way.rule;
        request.memory = &limit;
        const ForegroundPacker packer(ScalarType::u8, {});
        MemorySource source(reinterpret_cast<const std::byte*>(c.voxels.data()), request.extent, packer, request.isa, way.access);
        ThreadPool pool(way.threads);
        const auto labelling = label(*find_algorithm(way.algorithm), Device{}, request, source, pool, way.slices);
        failed = failed_for_host(*labelling, c.shape, want);
        CHECK(limit.used() > 0);
        CHECK(limit.used() <= bytes);
    } catch (const MemoryLimitReached& error) {
        CHECK(error.kind() == ErrorKind::out_of_memory);
    }
    CHECK(limit.used() == 0);
    return failed;
}

oracle::Labels expected(const Case& c, Rule rule) {
    const int connectivity = number_of(reduced(c.connectivity, extent_of(c.shape)));
    if (rule == Rule::equal_values) return oracle::flood_fill(c.voxels, c.shape, connectivity);
    std::vector<std::uint8_t> foreground = c.voxels;
    for (std::uint8_t& v : foreground) v = v != 0;
    return oracle::flood_fill(foreground, c.shape, connectivity);
}

/// The smallest limit within which labelling succeeds.
std::int64_t smallest_limit(const Case& c, const Way& way, const oracle::Labels& want) {
    std::int64_t fails = 0, succeeds = std::int64_t{1} << 30;
    while (succeeds - fails > 1) {
        const std::int64_t middle = fails + (succeeds - fails) / 2;
        (labelled_within(middle, c, way, want) ? succeeds : fails) = middle;
    }
    return succeeds;
}

}  // namespace

TEST_CASE("memory limit: a limit changes no result, or is reached and everything is given back") {
    std::mt19937_64 rng(81);
    const oracle::Shape shape{70, 20, 18};
    for (const Connectivity connectivity : all_connectivities) {
        const Case c{shape, volumes::random(shape, 30, 1, 3, rng), connectivity};
        for (const Way& way : ways) {
            INFO(way << ", connectivity " << number_of(connectivity));
            if (!supports(*find_algorithm(way.algorithm), connectivity)) continue;
            const oracle::Labels want = expected(c, way.rule);
            CHECK(labelled_within(unlimited, c, way, want) == 0);
            for (std::int64_t bytes = 0; bytes < 1 << 22; bytes = bytes * 2 + 1000)
                CHECK(labelled_within(bytes, c, way, want).value_or(0) == 0);
            CHECK_FALSE(labelled_within(1000, c, way, want));
        }
    }
}

TEST_CASE("memory limit: the smallest limit counts runs, components and painted labels") {
    // Single voxels: one run and one component per voxel at even x, y and z.
    const oracle::Shape shape{64, 32, 16};
    Case c{shape, std::vector<std::uint8_t>(std::size_t(shape.size())), Connectivity::c26};
    for (long z = 0; z < shape.nz; z += 2)
        for (long y = 0; y < shape.ny; y += 2)
            for (long x = 0; x < shape.nx; x += 2) c.voxels[std::size_t((z * shape.ny + y) * shape.nx + x)] = 1;
    constexpr std::int64_t runs = 32 * 16 * 8;
    // Parent, label, painted label of up to 8 bytes, and sums. The painted labels are prepared first.
    CHECK(smallest_limit(c, {}, expected(c, Rule::foreground)) == runs * (4 + 4 + 8 + 32));
    CHECK(smallest_limit(c, {.rule = Rule::equal_values}, expected(c, Rule::equal_values)) == runs * (8 + 4 + 4 + 8 + 32));
}

TEST_CASE("memory limit: many runs are counted while they are found") {
    std::mt19937_64 rng(82);
    const oracle::Shape shape{128, 128, 40};
    const Case c{shape, volumes::random(shape, 50, 1, 1, rng), Connectivity::c6};
    for (const Rule rule : {Rule::foreground, Rule::equal_values}) {
        struct Counted : MemorySource {
            using MemorySource::MemorySource;
            std::int64_t rows_per_fetch() const override { return 16; }
            const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
                read = std::max<std::int64_t>(read, rows.end());
                return MemorySource::fetch(rows, buffer);
            }
            std::atomic<std::int64_t> read = 0;
        };
        MemoryLimit limit(300'000);
        block_runs::Request request = request_for(shape, c.connectivity);
        request.rule = rule;
        request.memory = &limit;
        const ForegroundPacker packer(ScalarType::u8, {});
        Counted source(reinterpret_cast<const std::byte*>(c.voxels.data()), request.extent, packer);
        ThreadPool pool(1);
        CHECK_THROWS_AS(block_runs::label(request, source, pool), MemoryLimitReached);
        CHECK(source.read < request.extent.rows() / 2);
        CHECK(limit.used() == 0);
    }
}
