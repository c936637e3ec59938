// Shape counts and contacts of the tile engine, on the device of --device or on CPU executors. They are compared with the counts of
// measure_shape() and label_contacts() on the CPU, and with counts voxel by voxel.
#include <voxcc/contacts.h>
#include <voxcc/shape.h>
#include "kernels3d/api/memory_source.h"
#include "kernels3d/base/abilities.h"
#include "kernels3d/engine/request.h"

#include "kernels/contacts_oracle.h"
#include "kernels/shape_oracle.h"
#include "kernels/tiles.h"
#include "kernels/volumes.h"

using namespace voxcc;
using published::all_connectivities;
using published::pool;

namespace {

struct Case {
    oracle::Shape shape;
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    std::array<bool, 3> around{};
};

block_runs::Request request_of(const Case& c) {
    block_runs::Request request = tiles_tests::request_for(c.shape, c.connectivity);
    request.rule = c.rule, request.periodic.axes = c.around;
    return request;
}

std::unique_ptr<Labelling> in_tiles(const std::vector<std::uint8_t>& voxels, const Case& c) {
    const block_runs::Request request = request_of(c);
    const ForegroundPacker packer(ScalarType::u8, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), request.extent, packer);
    return tiles_tests::labelled(request, source);
}

CountsNeighbours& neighbours_of(Labelling& labelling) { return dynamic_cast<CountsNeighbours&>(labelling); }

std::unique_ptr<Labelling> on_cpu(const std::vector<std::uint8_t>& voxels, const Case& c) {
    const block_runs::Request request = request_of(c);
    const ForegroundPacker packer(ScalarType::u8, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), request.extent, packer);
    return block_runs::label(request, source, pool());
}

ShapeRequest shape_request(const Case& c) {
    return {{.connectivity = c.connectivity, .rule = c.rule, .periodic = {c.around}}, tiles_tests::extent_of(c.shape)};
}

std::vector<ShapeCounts> counts_of(const ShapeTable& table) {
    std::vector<ShapeCounts> counts;
    for (std::size_t row = 0; row < table.size(); ++row) counts.push_back(table.counts(row));
    return counts;
}

std::vector<std::uint64_t> labels_of(Labelling& labelling, oracle::Shape s, const std::vector<std::uint64_t>& numbers = {}) {
    std::vector<std::uint64_t> labels(std::size_t(s.size()));
    labelling.prepare_paint(ScalarType::u64, numbers);
    labelling.paint({0, s.ny * s.nz}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
    return labels;
}

/// Whether the voxels are so few that the reference that looks at each label alone is fast.
bool is_small(const Case& c, std::uint64_t components) { return double(c.shape.size()) * double(components) < 2e6; }

void check_shape(const std::vector<std::uint8_t>& voxels, const Case& c) {
    const auto tiles = in_tiles(voxels, c), cpu = on_cpu(voxels, c);
    REQUIRE(tiles->count() == cpu->count());
    std::vector<ShapeCounts> got(tiles->count());
    ShapeRequest request = shape_request(c);
    request.connectivity = reduced(c.connectivity, request.extent);
    REQUIRE(neighbours_of(*tiles).count_shape(request, {}, [&](std::uint64_t row, const ShapeCounts& counts) { got[row].add(counts); }));
    const SumTable sums = cpu->measure();
    REQUIRE(got == counts_of(measure_shape(*cpu, shape_request(c), sums, pool())));
    REQUIRE(got == counts_of(measure_shape(*tiles, shape_request(c), sums, pool())));
    if (!is_small(c, got.size())) return;
    const auto labels = labels_of(*cpu, c.shape);
    const shape_oracle::Labels volume{labels, request.extent, c.around, space_of(request.connectivity) == Space::plane};
    for (std::uint64_t k = 1; k <= got.size(); ++k) REQUIRE(got[k - 1] == shape_oracle::counts(volume, k, cells_of(request.connectivity)));
}

void check_contacts(const std::vector<std::uint8_t>& voxels, const Case& c, Connectivity contacts,
                    const std::vector<std::uint64_t>& numbers) {
    const auto tiles = in_tiles(voxels, c);
    const Extent extent = tiles_tests::extent_of(c.shape);
    const auto labels = labels_of(*tiles, c.shape, numbers);
    const auto got = neighbours_of(*tiles).contacts(contacts, numbers, nullptr);
    REQUIRE(got.has_value());
    REQUIRE(*got == contacts_oracle::expected(labels, extent, number_of(contacts)));
    const ForegroundPacker packer(ScalarType::u64, {});
    MemorySource source(reinterpret_cast<const std::byte*>(labels.data()), extent, packer);
    REQUIRE(*got == label_contacts(source, extent, contacts, pool()));
}

/// The connectivities by which contacts of a labelling can be counted.
std::vector<Connectivity> contacts_for(const Case& c) {
    const Connectivity used = reduced(c.connectivity, tiles_tests::extent_of(c.shape));
    if (space_of(used) == Space::plane) return {Connectivity::c4, Connectivity::c8};
    return {Connectivity::c6, Connectivity::c18, Connectivity::c26};
}

/// Some numbers are 0, others are exchanged, and two components share a number.
std::vector<std::uint64_t> final_numbers(std::uint64_t count) {
    std::vector<std::uint64_t> numbers(count);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % 4 == 1 ? 0 : 2 * numbers.size() - k;
    if (count > 4) numbers[2] = numbers[4];
    return numbers;
}

constexpr oracle::Shape shapes[]{{1, 1, 1},   {1, 9, 7},    {63, 5, 4},  {64, 17, 9}, {65, 18, 17}, {129, 3, 33},
                                 {130, 9, 1}, {64, 129, 1}, {70, 66, 3}, {200, 1, 1}, {2, 40, 40}};

std::string name_of(const Case& c) {
    return std::to_string(c.shape.nx) + "x" + std::to_string(c.shape.ny) + "x" + std::to_string(c.shape.nz) + " connectivity " +
           std::to_string(number_of(c.connectivity)) + " rule " + std::string(voxcc::name_of(c.rule)) + " around " +
           std::to_string(c.around[0] + 2 * c.around[1] + 4 * c.around[2]);
}

}  // namespace

TEST_CASE("tile measures: shape of all connectivities and rules") {
    std::mt19937_64 rng(81);
    for (const oracle::Shape s : shapes)
        for (const auto& [density, granularity] : {std::pair{10, 1}, {50, 1}, {60, 4}, {95, 2}, {100, 1}})
            for (const Rule rule : {Rule::foreground, Rule::equal_values})
                for (const Connectivity connectivity : all_connectivities) {
                    const Case c{s, connectivity, rule};
                    INFO(name_of(c));
                    check_shape(volumes::random(s, density, granularity, rule == Rule::foreground ? 1 : 3, rng), c);
                }
}

TEST_CASE("tile measures: shape with axes that wrap around") {
    std::mt19937_64 rng(82);
    for (const oracle::Shape s : {oracle::Shape{2, 2, 2}, {1, 3, 4}, {5, 4, 3}, {64, 3, 16}, {66, 17, 3}, {130, 16, 9}, {7, 70, 1}})
        for (int axes = 1; axes < 8; ++axes)
            for (const Rule rule : {Rule::foreground, Rule::equal_values})
                for (const Connectivity connectivity : all_connectivities) {
                    const Case c{s, connectivity, rule, {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}};
                    INFO(name_of(c));
                    const int density = int(30 + rng() % 71), granularity = int(1 + rng() % 3);
                    check_shape(volumes::random(s, density, granularity, rule == Rule::foreground ? 1 : 2, rng), c);
                }
}

TEST_CASE("tile measures: contacts of all connectivities and rules") {
    std::mt19937_64 rng(83);
    for (const oracle::Shape s : shapes)
        for (const auto& [density, granularity] : {std::pair{30, 1}, {100, 1}, {90, 3}, {100, 9}})
            for (const Rule rule : {Rule::foreground, Rule::equal_values})
                for (const Connectivity connectivity : all_connectivities) {
                    const Case c{s, connectivity, rule};
                    INFO(name_of(c));
                    const auto voxels = volumes::random(s, density, granularity, rule == Rule::foreground ? 1 : 5, rng);
                    for (const Connectivity contacts : contacts_for(c)) {
                        check_contacts(voxels, c, contacts, {});
                        check_contacts(voxels, c, contacts, final_numbers(in_tiles(voxels, c)->count()));
                    }
                }
}

TEST_CASE("tile measures: many components and pairs") {
    std::mt19937_64 rng(84);
    // Each voxel is a component: more runs and components per tile than shared memory holds. There is a complete tile along each axis.
    const oracle::Shape s{70, 20, 18};
    std::vector<std::uint8_t> voxels(std::size_t(s.size()));
    for (std::uint8_t& v : voxels) v = std::uint8_t(1 + rng() % 255);
    for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c26, Connectivity::c8}) {
        const Case c{s, connectivity, Rule::equal_values};
        INFO(name_of(c));
        check_shape(voxels, c);
        const Connectivity contacts = contacts_for(c).back();
        check_contacts(voxels, c, contacts, {});
    }
    for (const Connectivity connectivity : all_connectivities) {
        const Case c{s, connectivity};
        check_shape(volumes::random(s, 12, 1, 1, rng), c);
    }
}

TEST_CASE("tile measures: a volume without foreground") {
    for (const Rule rule : {Rule::foreground, Rule::equal_values})
        for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c26}) {
            const Case c{{70, 9, 20}, connectivity, rule};
            const std::vector<std::uint8_t> voxels(std::size_t(c.shape.size()));
            check_shape(voxels, c);
            check_contacts(voxels, c, connectivity, {});
        }
}

TEST_CASE("tile measures: connectivities of other dimensions and periodic volumes have no contacts on the device") {
    const std::vector<std::uint8_t> voxels(8, 1);
    CHECK_FALSE(
        neighbours_of(*in_tiles(voxels, {{2, 2, 2}, Connectivity::c8, Rule::equal_values})).contacts(Connectivity::c26, {}, nullptr));
    CHECK_FALSE(
        neighbours_of(*in_tiles(voxels, {{2, 2, 2}, Connectivity::c26, Rule::equal_values})).contacts(Connectivity::c4, {}, nullptr));
    CHECK_FALSE(neighbours_of(*in_tiles(voxels, {{2, 2, 2}, Connectivity::c6, Rule::equal_values, {true, false, false}}))
                    .contacts(Connectivity::c6, {}, nullptr));
    ShapeRequest request = shape_request({{2, 2, 2}, Connectivity::c26});
    CHECK_FALSE(
        neighbours_of(*in_tiles(voxels, {{2, 2, 2}, Connectivity::c6})).count_shape(request, {}, [](std::uint64_t, const ShapeCounts&) {}));
}

TEST_CASE("tile measures: Feret diameters beside counts of the device, and the memory limit of pairs") {
    std::mt19937_64 rng(85);
    const oracle::Shape s{70, 20, 18};
    const Case c{s, Connectivity::c18};
    const auto voxels = volumes::random(s, 40, 3, 1, rng);
    const auto tiles = in_tiles(voxels, c), cpu = on_cpu(voxels, c);
    ShapeRequest request = shape_request(c);
    request.world = World{{{{0.9, 0.2, -0.1, 5}, {-0.3, 1.5, 0.4, 0}, {0.1, -0.2, 2.5, -7}}}};
    const SumTable sums = cpu->measure();
    const ShapeTable got = measure_shape(*tiles, request, sums, pool()), want = measure_shape(*cpu, request, sums, pool());
    CHECK(counts_of(got) == counts_of(want));
    for (std::size_t row = 0; row < want.size(); ++row) CHECK(got.feret_mm(row) == want.feret_mm(row));
    const auto values = volumes::random(s, 100, 3, 9, rng);
    MemoryLimit limit(500);
    CHECK_THROWS_AS(neighbours_of(*in_tiles(values, {s, Connectivity::c6, Rule::equal_values})).contacts(Connectivity::c6, {}, &limit),
                    MemoryLimitReached);
    CHECK(limit.used() == 0);
}
