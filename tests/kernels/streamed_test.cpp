// Tests the streamed engine against the flood fill: several slab thicknesses and thread counts, every connectivity and rule, and painting
// in any order.
#include <voxcc/label.h>

#include "kernels/tiles.h"
#include "kernels/volumes.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/streamed/held_slab.h"
#include "kernels3d/engine/value_bits.h"

#include <chrono>
#include <future>
#include <thread>

using namespace voxcc;
using published::all_connectivities;
using tiles_tests::extent_of;
using tiles_tests::failed_for_host;
using tiles_tests::request_for;

namespace {

ThreadPool& pool_of(int threads) {
    static ThreadPool pools[3] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
    return pools[threads - 1];
}

/// Returns rows as file readers do: a few at a time, only in order, in a buffer that the next call overwrites.
struct FileSource : MemorySource {
    FileSource(const std::byte* voxels, const Extent& extent, const ForegroundPacker& packer)
        : MemorySource(voxels, extent, packer, best_isa(), Access::in_order) {}
    std::int64_t rows_per_fetch() const override { return 5; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        if (rows.first != next) throw Error(ErrorKind::internal, "test", "rows were asked for out of order");
        next = rows.end();
        const std::byte* const from = MemorySource::fetch(rows, buffer);
        buffer.assign(from, MemorySource::fetch({rows.end(), 0}, buffer));
        return buffer.data();
    }
    void rewind() override {
        next = 0;
        ++rewinds;
    }
    Lifetime lifetime() const override { return Lifetime::until_next_fetch; }
    std::int64_t next = 0, rewinds = 0;
};

struct Way {
    std::int64_t slices = 1;
    int threads = 1;
    RowSource::Access access = RowSource::Access::in_order;
};
constexpr Way ways[] = {{1, 1},  {2, 2}, {3, 3}, {4, 1, RowSource::Access::concurrent}, {5, 2}, {7, 3, RowSource::Access::concurrent},
                        {100, 2}};

/// Paints all rows in pieces of three rows. The threads of the pool take the pieces in the given order.
std::vector<std::uint32_t> painted(const Labelling& labelling, oracle::Shape s, ThreadPool& pool, std::vector<std::int64_t> order) {
    std::vector<std::uint32_t> out(std::size_t(s.size()), 77);
    pool.for_each(std::int64_t(order.size()), [&](std::int64_t i) {
        const std::int64_t first = order[std::size_t(i)] * 3;
        labelling.paint({first, std::min<std::int64_t>(3, s.ny * s.nz - first)},
                        reinterpret_cast<std::byte*>(&out[std::size_t(first * s.nx)]), Stores::cached);
    });
    return out;
}
std::vector<std::int64_t> pieces_of(oracle::Shape s) {
    std::vector<std::int64_t> pieces(std::size_t((s.ny * s.nz + 2) / 3));
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = std::int64_t(i);
    return pieces;
}

/// 0 if all results of the labelling equal the oracle's, else the number of the first check that failed.
template <class T>
int failed(const std::vector<T>& v, const block_runs::Request& request, const Way& way, const oracle::Labels& want) {
    const oracle::Shape s{request.extent.nx, request.extent.ny, request.extent.nz};
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    const auto* const bytes = reinterpret_cast<const std::byte*>(v.data());
    std::unique_ptr<RowSource> source = std::make_unique<FileSource>(bytes, request.extent, packer);
    if (way.access == RowSource::Access::concurrent) source = std::make_unique<MemorySource>(bytes, request.extent, packer);
    ThreadPool& pool = pool_of(way.threads);
    const auto got = block_runs::label_streamed(request, *source, pool, way.slices, "test.nii");
    if (const int first = failed_for_host(*got, s, want)) return first;
    std::mt19937_64 rng(7);
    std::vector<std::int64_t> order = pieces_of(s);
    got->prepare_paint(ScalarType::u32, {});
    if (!std::ranges::equal(painted(*got, s, pool, order), want.of)) return 20;
    std::shuffle(order.begin(), order.end(), rng);
    if (!std::ranges::equal(painted(*got, s, pool, order), want.of)) return 21;
    if (request.rule != Rule::equal_values) return got->source_values().empty() ? 0 : 22;
    const std::vector<std::uint64_t> values = got->source_values();
    for (std::size_t i = 0; i < v.size(); ++i)
        if (want.of[i] && values[want.of[i] - 1] != block_runs::value_bits(v[i])) return 23;
    return 0;
}

template <class T>
void check_all(const std::vector<T>& v, oracle::Shape s, Rule rule, std::array<bool, 3> periodic = {}) {
    for (const Connectivity c : all_connectivities) {
        block_runs::Request request = request_for(s, c);
        request.rule = rule;
        request.periodic.axes = periodic;
        const oracle::Labels want = oracle::flood_fill(v, s, number_of(reduced(c, request.extent)), periodic);
        for (const Way& way : ways) {
            INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " slices " << way.slices << " threads "
                      << way.threads << " " << name_of(rule));
            CHECK(failed(v, request, way, want) == 0);
        }
    }
}

}  // namespace

TEST_CASE("streamed: random volumes of every density and shape") {
    std::mt19937_64 rng(51);
    for (const oracle::Shape s : {oracle::Shape{70, 9, 11}, {5, 13, 16}, {129, 4, 7}})
        for (const int density : {2, 10, 20, 30, 45, 60, 100}) {
            if (sanitized && density % 20) continue;
            check_all(volumes::random(s, density, 1 + int(rng() % 2), 1, rng), s, Rule::foreground);
        }
}

TEST_CASE("streamed: neighbours of equal values") {
    std::mt19937_64 rng(52);
    for (const oracle::Shape s : {oracle::Shape{67, 8, 9}, {6, 5, 14}})
        for (const int values : {1, 2, 4})
            for (const int density : {40, 100}) check_all(volumes::random(s, density, 1, values, rng), s, Rule::equal_values);
    const oracle::Shape s{9, 7, 6};
    std::vector<float> v(std::size_t(s.size()));
    for (float& x : v) x = float(rng() % 3) - 1;
    check_all(v, s, Rule::equal_values);
}

TEST_CASE("streamed: periodic axes") {
    std::mt19937_64 rng(53);
    for (const std::array<bool, 3> periodic :
         {std::array{true, false, false}, {false, true, false}, {true, true, false}, {false, false, true}, {true, true, true}})
        for (const oracle::Shape s : {oracle::Shape{65, 6, 7}, {1, 5, 4}, {2, 3, 5}, {7, 1, 6}, {6, 5, 1}, {5, 6, 2}}) {
            check_all(volumes::random(s, 20, 1, 1, rng), s, Rule::foreground, periodic);
            check_all(volumes::random(s, 90, 1, 3, rng), s, Rule::equal_values, periodic);
        }
}

TEST_CASE("streamed: patterns of 3x3x2 voxels with a slab border between their slices") {
    constexpr long across = 96;
    const oracle::Shape s{across * 4, across * 4, 4};
    std::vector<std::uint8_t> v(std::size_t(s.size()));
    for (std::uint32_t n = 0; n < across * across; ++n)
        for (int i = 0; i < 18; ++i)
            v[std::size_t(long(n) % across * 4 + i % 3 + s.nx * (long(n) / across * 4 + i / 3 % 3 + s.ny * (1 + i / 9)))] = n * 29 >> i & 1;
    for (const Connectivity c : all_connectivities)
        CHECK(failed(v, request_for(s, c), {2, 2}, oracle::flood_fill(v, s, number_of(c))) == 0);
}

TEST_CASE("streamed: components that cross all slabs many times") {
    for (const TestVolumeKind kind : {TestVolumeKind::spiral, TestVolumeKind::checkerboard}) {
        TestVolumeRecipe recipe;
        recipe.kind = kind;
        recipe.extent = {31, 17, 33};
        check_all(volumes::made(recipe), {31, 17, 33}, Rule::foreground);
    }
}

TEST_CASE("streamed: tiny volumes, and volumes without components") {
    for (const oracle::Shape s : {oracle::Shape{1, 1, 1}, {1, 1, 5}, {3, 1, 1}, {1, 4, 2}, {2, 2, 2}}) {
        check_all(std::vector<std::uint8_t>(std::size_t(s.size()), 0), s, Rule::foreground);
        check_all(std::vector<std::uint8_t>(std::size_t(s.size()), 9), s, Rule::foreground);
        check_all(std::vector<std::uint8_t>(std::size_t(s.size()), 9), s, Rule::equal_values);
    }
}

TEST_CASE("streamed: the source is read once to label and once to paint in order") {
    const oracle::Shape s{20, 6, 12};
    std::mt19937_64 rng(54);
    const std::vector<std::uint8_t> v = volumes::random(s, 30, 1, 1, rng);
    const block_runs::Request request = request_for(s, Connectivity::c26);
    const ForegroundPacker packer(ScalarType::u8, {});
    FileSource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const auto labelling = block_runs::label_streamed(request, source, pool_of(2), 3, "test.nii");
    CHECK(source.rewinds == 0);
    CHECK(source.next == s.ny * s.nz);
    labelling->prepare_paint(ScalarType::u32, {});
    const std::vector<std::uint32_t> out = painted(*labelling, s, pool_of(1), pieces_of(s));
    CHECK(std::ranges::equal(out, oracle::flood_fill(v, s, 26).of));
    CHECK(source.rewinds == 1);
    // The slab in memory is not read again. An earlier slab is read again from the start of the file.
    std::vector<std::byte> row(std::size_t(s.nx) * 4);
    labelling->paint({s.ny * s.nz - 1, 1}, row.data(), Stores::cached);
    CHECK(source.rewinds == 1);
    labelling->paint({s.ny * 4, 1}, row.data(), Stores::cached);
    CHECK(source.rewinds == 2);
    CHECK(source.next == s.ny * 6);
}

TEST_CASE("streamed: a source that changes between passes is detected") {
    const oracle::Shape s{20, 6, 12};
    for (const Rule rule : {Rule::foreground, Rule::equal_values}) {
        std::vector<std::uint8_t> v(std::size_t(s.size()), 0);
        v[300] = v[700] = 5;
        block_runs::Request request = request_for(s, Connectivity::c26);
        request.rule = rule;
        const ForegroundPacker packer(ScalarType::u8, {});
        FileSource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
        const auto labelling = block_runs::label_streamed(request, source, pool_of(2), 3, "test.nii");
        labelling->prepare_paint(ScalarType::u32, {});
        if (rule == Rule::foreground) std::swap(v[300], v[301]);  // voxel and component counts do not change
        else v[300] = 6;
        const char* const says = "test.nii: has changed while it was read";
        CHECK_THROWS_WITH(painted(*labelling, s, pool_of(3), pieces_of(s)), says);
        CHECK_THROWS_WITH(painted(*labelling, s, pool_of(1), pieces_of(s)), says);
    }
}

TEST_CASE("streamed: a thread ahead waits for threads behind") {
    using block_runs::streamed::HeldStreamSlab;
    for (int round = 0; round < 30; ++round) {  // two threads are released at once, and either can continue first
        std::vector<std::size_t> loaded;
        HeldStreamSlab slabs([&](std::size_t s) { loaded.push_back(s); }, 9);
        auto in_the_way = std::make_unique<HeldStreamSlab::Visitor>(slabs);
        in_the_way->go_to(0);
        std::promise<void> is_in;
        std::thread ahead([&] { HeldStreamSlab::Visitor(slabs).go_to(5); });
        std::thread behind([&] {
            HeldStreamSlab::Visitor visitor(slabs);
            visitor.go_to(0);
            is_in.set_value();
            visitor.go_to(1);
        });
        is_in.get_future().wait();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // lets both threads wait; the result must not depend on it
        in_the_way.reset();
        ahead.join();
        behind.join();
        CHECK(loaded == std::vector<std::size_t>{0, 1, 5});
    }
}
