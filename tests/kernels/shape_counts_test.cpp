// Tests the counts of measure_shape() against counts voxel by voxel: all connectivities and rules, periodic axes, threads, instruction
// sets, slabs, and labels that arrive slice by slice.
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include "kernels/instruction_sets.h"
#include "kernels/oracle.h"
#include "kernels/shape_oracle.h"
#include "kernels3d/simd/shape_counts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace voxcc;

namespace {

const World oblique{{{{0.9, 0.2, -0.1, 5}, {-0.3, 1.5, 0.4, 0}, {0.1, -0.2, 2.5, -7}}}};

struct Case {
    Extent extent;
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    std::array<bool, 3> around{};
    int threads = 1;
    std::int64_t slab = 0;
    Isa isa = Isa::portable;
};

struct Result {
    std::vector<ShapeCounts> counts;
    std::vector<double> feret;
    bool operator==(const Result&) const = default;
};

Result result_of(const ShapeTable& table) {
    Result r;
    for (std::size_t row = 0; row < table.size(); ++row) {
        r.counts.push_back(table.counts(row));
        r.feret.push_back(table.feret_mm(row).value_or(-1));
    }
    return r;
}

Result measured(const std::vector<int>& voxels, const Case& c) {
    const ForegroundPacker packer(ScalarType::i32, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), c.extent, packer);
    ThreadPool pool(c.threads);
    block_runs::Request request;
    request.extent = c.extent, request.rule = c.rule, request.connectivity = c.connectivity, request.isa = c.isa;
    request.periodic.axes = c.around;
    const auto labelling =
        c.slab ? block_runs::label_streamed(request, source, pool, c.slab, "test") : block_runs::label(request, source, pool);
    ShapeRequest shape{{.connectivity = c.connectivity, .rule = c.rule, .periodic = request.periodic}, c.extent, oblique};
    shape.isa = c.isa;
    return result_of(measure_shape(*labelling, shape, labelling->measure(), pool));
}

Result expected(const std::vector<int>& voxels, const Case& c) {
    const int neighbours = number_of(c.connectivity);
    std::vector<int> compared = voxels;
    if (c.rule == Rule::foreground)
        for (int& v : compared) v = v != 0;
    const auto filled = oracle::flood_fill(compared, {long(c.extent.nx), long(c.extent.ny), long(c.extent.nz)}, neighbours, c.around);
    const Connectivity used = reduced(c.connectivity, c.extent);
    const shape_oracle::Labels labels{filled.of, c.extent, c.around, space_of(used) == Space::plane};
    Result r;
    for (std::uint64_t k = 1; k <= filled.count; ++k) {
        r.counts.push_back(shape_oracle::counts(labels, k, cells_of(used)));
        r.feret.push_back(shape_oracle::feret(labels, k, oblique, &filled));
    }
    return r;
}

std::vector<int> random_voxels(std::mt19937& random, const Extent& e, unsigned percent, int values) {
    std::vector<int> voxels(std::size_t(e.voxels()));
    for (int& v : voxels) v = random() % 100 < percent ? 1 + int(random() % unsigned(values)) : 0;
    return voxels;
}

void check_near(const Result& is, const Result& should) {
    REQUIRE(is.counts == should.counts);
    for (std::size_t k = 0; k < is.feret.size(); ++k) REQUIRE(is.feret[k] == doctest::Approx(should.feret[k]).epsilon(1e-14));
}

constexpr std::array connectivities{Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26};

}  // namespace

TEST_CASE("shape: counts of all connectivities and rules equal counts voxel by voxel") {
    std::mt19937 random(3);
    for (const Extent e : {Extent{1, 1, 1}, Extent{5, 4, 3}, Extent{7, 6, 1}, Extent{70, 3, 4}, Extent{130, 2, 3}, Extent{64, 3, 2}})
        for (const unsigned percent : {20u, 55u, 90u})
            for (const Rule rule : {Rule::foreground, Rule::equal_values})
                for (const Connectivity connectivity : connectivities) {
                    Case c{.extent = e, .connectivity = connectivity, .rule = rule};
                    const std::vector<int> voxels = random_voxels(random, e, percent, rule == Rule::foreground ? 1 : 2);
                    const Result should = expected(voxels, c);
                    for (const Isa isa : instruction_sets()) {
                        c.isa = isa;
                        const Result one = measured(voxels, c);
                        check_near(one, should);
                        c.threads = 3;
                        REQUIRE(measured(voxels, c) == one);
                        c.threads = 1;
                    }
                }
}

TEST_CASE("shape: axes that wrap around") {
    std::mt19937 random(4);
    for (const Extent e : {Extent{2, 2, 2}, Extent{1, 3, 4}, Extent{5, 4, 3}, Extent{64, 3, 3}, Extent{66, 2, 3}, Extent{7, 5, 1}})
        for (const unsigned percent : {30u, 75u, 100u})
            for (int axes = 1; axes < 8; ++axes)
                for (const Rule rule : {Rule::foreground, Rule::equal_values})
                    for (const Connectivity connectivity : connectivities) {
                        const Case c{.extent = e,
                                     .connectivity = connectivity,
                                     .rule = rule,
                                     .around = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0},
                                     .isa = best_isa()};
                        const std::vector<int> voxels = random_voxels(random, e, percent, rule == Rule::foreground ? 1 : 2);
                        check_near(measured(voxels, c), expected(voxels, c));
                    }
}

TEST_CASE("shape: slabs and threads give the same counts") {
    std::mt19937 random(5);
    const Extent e{40, 21, 19};
    for (const unsigned percent : {15u, 60u})
        for (const Connectivity connectivity : connectivities)
            for (const bool around : {false, true}) {
                Case c{.extent = e, .connectivity = connectivity, .around = {false, false, around}, .isa = best_isa()};
                const std::vector<int> voxels = random_voxels(random, e, percent, 1);
                const Result one = measured(voxels, c);
                for (const std::int64_t slab : {1, 4, 7})
                    for (const int threads : {1, 4}) {
                        c.slab = slab, c.threads = threads;
                        REQUIRE(measured(voxels, c) == one);
                    }
            }
}

TEST_CASE("shape: labels slice by slice, also labels whose voxels do not touch") {
    std::mt19937 random(6);
    for (const Extent e : {Extent{9, 8, 7}, Extent{67, 3, 4}, Extent{6, 5, 1}})
        for (const Connectivity connectivity : connectivities) {
            std::vector<std::uint32_t> numbers(std::size_t(e.voxels()));
            for (std::uint32_t& n : numbers) n = random() % 3 ? 0 : 1 + random() % 4;
            ThreadPool pool(2);
            ShapeOfRows shape({{.connectivity = connectivity}, e, oblique}, pool);
            const auto nx = std::size_t(e.nx);
            for (std::size_t r = 0; r < std::size_t(e.rows()); ++r) shape.add_row(std::span(numbers).subspan(r * nx, nx));
            const Result is = result_of(shape.finish(4));
            const std::vector<std::uint64_t> labels_of(numbers.begin(), numbers.end());
            const Connectivity used = reduced(connectivity, e);
            const shape_oracle::Labels labels{labels_of, e, {}, space_of(used) == Space::plane};
            Result should;
            for (std::uint64_t k = 1; k <= 4; ++k) {
                should.counts.push_back(shape_oracle::counts(labels, k, cells_of(used)));
                if (used == connectivity) should.feret.push_back(shape_oracle::feret(labels, k, oblique));
            }
            REQUIRE(is.counts == should.counts);
        }
}

TEST_CASE("shape: vector code counts as the code for every processor") {
    std::mt19937_64 random(7);
    for (const Cells cells : {Cells::closed, Cells::split, Cells::open})
        for (const std::int64_t words : {1, 3, 4, 5, 8, 9, 123, 124, 125, 300}) {
            std::array<std::vector<std::uint64_t>, 6> rows;
            for (auto& row : rows) {
                row.resize(std::size_t(words) + 20);
                for (std::uint64_t& word : row) word = random() & random();
            }
            const block_runs::ShapeRows at{&rows[0][1], &rows[1][1], &rows[2][1], &rows[3][1], &rows[4][1], &rows[5][1]};
            ShapeCounts portable;
            block_runs::count_shape(Isa::portable, cells, at, words, portable);
            for (const Isa isa : instruction_sets()) {
                ShapeCounts counts;
                block_runs::count_shape(isa, cells, at, words, counts);
                CHECK(counts == portable);
            }
        }
}

TEST_CASE("shape: a limit of memory") {
    const Extent e{32, 32, 8};
    std::vector<int> voxels(std::size_t(e.voxels()));
    for (std::size_t i = 0; i < voxels.size(); i += 2) voxels[i] = 1;
    const ForegroundPacker packer(ScalarType::i32, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), e, packer);
    ThreadPool pool(1);
    block_runs::Request request;
    request.extent = e, request.connectivity = Connectivity::c6;
    const auto labelling = block_runs::label(request, source, pool);
    const SumTable sums = labelling->measure();
    ShapeRequest shape{{.connectivity = Connectivity::c6}, e, oblique};
    MemoryLimit little(std::int64_t(sums.size()) * ShapeTable::bytes_per_component(shape) - 1);
    shape.memory = &little;
    CHECK_THROWS_AS(measure_shape(*labelling, shape, sums, pool), MemoryLimitReached);
    CHECK(little.used() == 0);
}
