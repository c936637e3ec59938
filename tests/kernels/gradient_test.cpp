// Tests the block-run engine with Rule::gradient, its comparison of rows, and connectivity graphs, against definitions voxel by voxel.
#include <voxcc/connectivity_graph.h>
#include <voxcc/strided_source.h>
#include "kernels/instruction_sets.h"
#include "kernels/oracle.h"
#include "kernels/rows.h"
#include "kernels3d/neighbourhood.h"
#include "kernels3d/simd/near.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

template <class T>
bool near_by_definition(T a, T b, double most) {
    if constexpr (std::is_floating_point_v<T>) {
        return a == b || std::abs(double(a) - double(b)) <= most;
    } else {
        const int128 difference = int128(a) - int128(b);
        return (difference < 0 ? -difference : difference) <= int128(most);
    }
}

constexpr double limits[] = {0, 0.5, 1, 2.5, 300, 3e9, 1e30};

template <class T>
int wrong_rows(std::mt19937_64& rng) {
    const std::vector<T> special = special_values<T>();
    int wrong = 0;
    for (std::int64_t n : {1, 2, 63, 64, 65, 130, 300})
        for (std::int64_t offset = 0; offset < AlignedRow<T>::per_line; ++offset) {
            AlignedRow<T> a(n, offset), b(n, (offset + 1) % AlignedRow<T>::per_line);
            const double most = limits[rng() % std::size(limits)];
            std::vector<std::uint64_t> want(std::size_t(n + 63) / 64);
            for (std::int64_t x = 0; x < n; ++x) {
                const auto draw = [&] { return rng() % 4 == 0 ? special[rng() % special.size()] : T(double(rng() % 100) / 2); };
                a.data()[x] = draw(), b.data()[x] = draw();
                want[std::size_t(x / 64)] |= std::uint64_t(near_by_definition(a.data()[x], b.data()[x], most)) << x % 64;
            }
            for (const block_runs::Isa isa : instruction_sets()) {
                std::vector<std::uint64_t> bits(want.size(), 0x5555'aaaa'5555'aaaa);
                block_runs::near_row<T>(isa, a.data(), b.data(), most, n, bits.data());
                wrong += bits != want;
            }
        }
    return wrong;
}

std::vector<std::uint64_t> painted(block_runs::Labelling& labelling, const Extent& e) {
    std::vector<std::uint64_t> labels(std::size_t(e.voxels()));
    labelling.prepare_paint(ScalarType::u64, {});
    labelling.paint({0, e.rows()}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::cached);
    return labels;
}

}  // namespace

TEST_CASE_TEMPLATE("gradient: rows are compared by the definition, with every instruction set", T, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(6);
    CHECK(wrong_rows<T>(rng) == 0);
}

TEST_CASE_TEMPLATE("gradient: the engine labels as a flood fill does", T, std::uint8_t, std::int16_t, std::uint64_t, float) {
    std::mt19937 random(7);
    for (const Extent e : {Extent{1, 1, 1}, Extent{5, 6, 7}, Extent{64, 3, 4}, Extent{65, 4, 1}, Extent{130, 2, 3}, Extent{1, 9, 8}})
        for (const int neighbours : {4, 8, 6, 18, 26})
            for (const double most : {0.0, 1.0, 3.0}) {
                std::vector<T> values(std::size_t(e.voxels()));
                for (T& v : values) v = T(random() % 10);
                const auto want = oracle::flood_fill_by(
                    {e.nx, e.ny, e.nz}, neighbours, {}, [&](long i) { return values[std::size_t(i)] != 0; },
                    [&](long i, long j) { return near_by_definition(values[std::size_t(i)], values[std::size_t(j)], most); });
                for (const block_runs::Isa isa : instruction_sets())
                    for (const auto width : {block_runs::Request::IdWidth::automatic, block_runs::Request::IdWidth::wide}) {
                        const ForegroundPacker packer(scalar_type_of<T>(), {});
                        block_runs::StridedSource source(view(values.data(), e), packer);
                        ThreadPool pool(2);
                        block_runs::Request request;
                        request.extent = e, request.connectivity = *connectivity_of(neighbours), request.rule = Rule::gradient;
                        request.gradient = most, request.isa = isa, request.id_width = width;
                        const auto labelling = block_runs::label(request, source, pool);
                        REQUIRE(labelling->count() == want.count);
                        REQUIRE(painted(*labelling, e) == want.of);
                    }
            }
}

TEST_CASE("gradient: periodic axes are refused") {
    const std::vector<std::uint8_t> values(8, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::StridedSource source(view(values.data(), {2, 2, 2}), packer);
    ThreadPool pool(1);
    block_runs::Request request;
    request.extent = {2, 2, 2}, request.rule = Rule::gradient, request.periodic.axes[0] = true;
    CHECK_THROWS_AS(block_runs::label(request, source, pool), Error);
}

TEST_CASE("connectivity graphs: a graph with all bits is one component, and without bits every voxel is a component") {
    const Extent e{3, 4, 2};
    std::vector<std::uint32_t> labels(std::size_t(e.voxels()));
    for (const Connectivity c : {Connectivity::c6, Connectivity::c18, Connectivity::c26}) {
        const std::vector<std::uint32_t> all(labels.size(), ~std::uint32_t{0}), none(labels.size(), 0);
        CHECK(label_connectivity_graph<std::uint32_t>(all, e, c, labels.data()) == 1);
        CHECK(label_connectivity_graph<std::uint32_t>(none, e, c, labels.data()) == labels.size());
        CHECK(labels.back() == labels.size());
    }
}

TEST_CASE("connectivity graphs: the later voxel decides") {
    std::vector<std::uint32_t> labels(3);
    CHECK(label_connectivity_graph<std::uint8_t>(std::vector<std::uint8_t>{0, 2, 0}, {3, 1, 1}, Connectivity::c4, labels.data()) == 2);
    CHECK(labels == std::vector<std::uint32_t>{1, 1, 2});
    CHECK(label_connectivity_graph<std::uint8_t>(std::vector<std::uint8_t>{1, 0, 0}, {3, 1, 1}, Connectivity::c4, labels.data()) == 3);
    const std::vector<std::uint8_t> graph(3);
    CHECK_THROWS_AS(label_connectivity_graph<std::uint8_t>(graph, {3, 1, 1}, Connectivity::c26, labels.data()), Error);
}
