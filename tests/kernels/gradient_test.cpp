// Tests the block-run engine with Rule::gradient, its comparison of rows, and connectivity graphs, against definitions voxel by voxel.
#include <voxcc/label.h>
#include "kernels/instruction_sets.h"
#include "kernels/oracle.h"
#include "kernels/rows.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/simd/near.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace voxcc;

namespace {

template <class T>
bool near_by_definition(T a, T b, const Bound& most) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a || b != b) return false;
        if (a == b) return true;
        // The difference, rounded up, is above the limit if and only if the exact difference is.
        volatile double larger = std::max(a, b), smaller = std::min(a, b);
        const int rounding = std::fegetround();
        std::fesetround(FE_UPWARD);
        volatile double difference = larger - smaller;
        std::fesetround(rounding);
        return difference <= most.real;
    } else {
        const int128 difference = int128(a) - int128(b);
        return (difference < 0 ? -difference : difference) <= most.whole;
    }
}

// The last two limits are not doubles.
constexpr Bound limits[] = {0, 0.5, 1, 2.5, 300, 3e9, 1e30, 9007199254740993, (std::uint64_t{1} << 63) - 2};

template <class T>
int wrong_rows(std::mt19937_64& rng) {
    const std::vector<T> special = special_values<T>();
    int wrong = 0;
    for (std::int64_t n : {1, 2, 63, 64, 65, 130, 300})
        for (std::int64_t offset = 0; offset < AlignedRow<T>::per_line; ++offset) {
            AlignedRow<T> a(n, offset), b(n, (offset + 1) % AlignedRow<T>::per_line);
            const Bound most = limits[rng() % std::size(limits)];
            std::vector<std::uint64_t> want(std::size_t(n + 63) / 64);
            for (std::int64_t x = 0; x < n; ++x) {
                const auto draw = [&] { return rng() % 4 == 0 ? special[rng() % special.size()] : T(double(rng() % 100) / 2); };
                a.data()[x] = draw(), b.data()[x] = draw();
                want[std::size_t(x / 64)] |= std::uint64_t(near_by_definition(a.data()[x], b.data()[x], most)) << x % 64;
            }
            for (const Isa isa : instruction_sets()) {
                std::vector<std::uint64_t> bits(want.size(), 0x5555'aaaa'5555'aaaa);
                block_runs::near_row<T>(isa, a.data(), b.data(), most, n, bits.data());
                wrong += bits != want;
            }
        }
    return wrong;
}

std::vector<std::uint64_t> painted(Labelling& labelling, const Extent& e) {
    std::vector<std::uint64_t> labels(std::size_t(e.voxels()));
    labelling.prepare_paint(ScalarType::u64, {});
    labelling.paint({0, e.rows()}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
    return labels;
}

}  // namespace

TEST_CASE_TEMPLATE("gradient: rows are compared by the definition, with every instruction set", T, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(6);
    CHECK(wrong_rows<T>(rng) == 0);
}

TEST_CASE("gradient: differences are exact, also where their rounded value is the limit") {
    struct Case {
        double a, b, most;
        bool near;
    };
    const double tiny = 0x1p-60, huge = 0x1.fffffffffffffp1023, inf = std::numeric_limits<double>::infinity();
    for (const Case& c : {Case{1, -tiny, 1, false}, Case{1, tiny, 1, true}, Case{-1, tiny, 1, false}, Case{-1, -tiny, 1, true},
                          Case{tiny, 1, 1, true}, Case{-tiny, 1, 1, false}, Case{huge, -huge, huge, false}, Case{huge, 0, huge, true},
                          Case{inf, inf, 0, true}, Case{inf, -inf, huge, false}, Case{inf, -inf, inf, true}, Case{inf, 0, huge, false},
                          Case{0x1p-1074, 0, 0, false}, Case{0x1p-1074, 0, 0x1p-1074, true}, Case{0.0, -0.0, 0, true}})
        for (const Isa isa : instruction_sets()) {
            INFO(c.a << " " << c.b << " " << c.most);
            std::uint64_t bits = 0;
            block_runs::near_row(isa, &c.a, &c.b, c.most, 1, &bits);
            CHECK(bits == c.near);
        }
    // Floats whose difference rounds to 0.1f. The limit is a double, and is not rounded to a float.
    for (const Isa isa : instruction_sets())
        for (const float base : {0.1f, 0.5f, 1.0f, 7.0f, 1e-3f, -0.05f}) {
            std::vector<float> a, b;
            float other = base - 0.1f;
            for (int i = 0; i < 8; ++i) other = std::nextafter(other, -10.0f);
            for (int i = 0; i < 16; ++i, other = std::nextafter(other, 10.0f)) a.push_back(base), b.push_back(other);
            for (const double most : {0.1, double(0.1f), 0.10000000001, 0.0999999999, 3.0}) {
                std::uint64_t bits = 0, want = 0;
                block_runs::near_row(isa, a.data(), b.data(), most, std::int64_t(a.size()), &bits);
                for (std::size_t i = 0; i < a.size(); ++i) want |= std::uint64_t(near_by_definition(a[i], b[i], most)) << i;
                CHECK(bits == want);
            }
        }
}

namespace {

/// Rows of a volume that are read in order, in pieces of a few rows.
class InOrderSource : public MemorySource {
public:
    using MemorySource::MemorySource;
    Access access() const override { return Access::in_order; }
    std::int64_t rows_per_fetch() const override { return 3; }
    Lifetime lifetime() const override { return Lifetime::until_next_fetch; }
    void rewind() override {}
};

/// How a volume is labelled: on how many threads, in slabs of how many slices (0: in one piece), and how it is read.
struct Way {
    int threads;
    std::int64_t slices;
    bool in_order;
};

template <class T>
void check_engine(const Extent& e, int neighbours, double most, std::array<bool, 3> periodic, std::mt19937& random) {
    std::vector<T> values(std::size_t(e.voxels()));
    for (T& v : values) v = T(random() % 10);
    if constexpr (std::is_floating_point_v<T>)
        for (T& v : values) v = random() % 20 == 0 ? std::numeric_limits<T>::quiet_NaN() : v;
    const auto want = oracle::flood_fill_by(
        {e.nx, e.ny, e.nz}, neighbours, periodic,
        [&](long i) { return values[std::size_t(i)] != 0 && values[std::size_t(i)] == values[std::size_t(i)]; },
        [&](long i, long j) { return near_by_definition(values[std::size_t(i)], values[std::size_t(j)], most); });
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    for (const Isa isa : instruction_sets())
        for (const Way& way : {Way{1, 0, false}, Way{3, 0, false}, Way{2, 0, true}, Way{2, 1, false}, Way{1, 3, true}}) {
            MemorySource source(reinterpret_cast<const std::byte*>(values.data()), e, packer);
            InOrderSource rows_in_order(reinterpret_cast<const std::byte*>(values.data()), e, packer);
            RowSource& read = way.in_order ? static_cast<RowSource&>(rows_in_order) : source;
            ThreadPool pool(way.threads);
            block_runs::Request request;
            request.extent = e, request.connectivity = *connectivity_of(neighbours), request.rule = Rule::gradient;
            request.difference = most, request.isa = isa, request.periodic.axes = periodic;
            if (random() % 4 == 0) request.id_width = block_runs::Request::IdWidth::wide;
            INFO(e.nx << "x" << e.ny << "x" << e.nz << " neighbours " << neighbours << " most " << most << " threads " << way.threads
                      << " slices " << way.slices << " in order " << way.in_order);
            const auto labelling =
                way.slices ? block_runs::label_streamed(request, read, pool, way.slices, "volume") : block_runs::label(request, read, pool);
            REQUIRE(labelling->count() == want.count);
            REQUIRE(painted(*labelling, e) == want.of);
        }
}

}  // namespace

TEST_CASE_TEMPLATE("gradient: the engine labels as a flood fill does", T, std::uint8_t, std::int16_t, std::uint64_t, float) {
    std::mt19937 random(7);
    for (const Extent e : {Extent{1, 1, 1}, Extent{5, 6, 7}, Extent{64, 3, 4}, Extent{65, 4, 1}, Extent{63, 9, 3}, Extent{130, 2, 3},
                           Extent{300, 4, 6}, Extent{1, 9, 8}, Extent{2, 40, 2}})
        for (const int neighbours : {4, 8, 6, 18, 26})
            for (const double most : {0.0, 1.0, 3.0}) check_engine<T>(e, neighbours, most, {}, random);
}

TEST_CASE_TEMPLATE("gradient: periodic axes", T, std::uint8_t, std::int64_t, float, double) {
    std::mt19937 random(8);
    for (const Extent e : {Extent{5, 6, 7}, Extent{65, 4, 3}, Extent{3, 3, 3}, Extent{1, 9, 4}, Extent{130, 2, 5}, Extent{7, 5, 1}})
        for (const int neighbours : {4, 8, 6, 18, 26})
            for (int axes = 1; axes < 8; ++axes)
                check_engine<T>(e, neighbours, double(random() % 3), {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0}, random);
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
