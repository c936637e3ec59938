// Tests the numbers of components by their first voxel with x slowest, against a flood fill of the transposed volume.
#include <voxcc/label.h>
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include "kernels/oracle.h"

#include <doctest/doctest.h>

#include <random>

using namespace voxcc;

namespace {

// The voxel (x, y, z) of `v` is voxel (z, y, x) of the result.
template <class T>
std::vector<T> transposed(const std::vector<T>& v, const Extent& e) {
    std::vector<T> t(v.size());
    for (std::int64_t z = 0, i = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x, ++i) t[std::size_t((x * e.ny + y) * e.nz + z)] = v[std::size_t(i)];
    return t;
}

}  // namespace

TEST_CASE("order: numbers with x slowest equal the numbers of the transposed volume") {
    std::mt19937 random(1);
    for (const Extent e : {Extent{7, 5, 6}, Extent{130, 4, 3}, Extent{3, 3, 1}, Extent{40, 1, 1}, Extent{1, 9, 7}, Extent{66, 33, 12}})
        for (const unsigned density : {2u, 5u})
            for (const Rule rule : {Rule::foreground, Rule::equal_values})
                for (const int neighbours : {6, 18, 26}) {
                    std::vector<int> voxels(std::size_t(e.voxels()));
                    for (int& v : voxels) v = random() % density == 0 ? 1 + int(random() % (rule == Rule::foreground ? 1 : 3)) : 0;
                    const oracle::Shape turned{long(e.nz), long(e.ny), long(e.nx)};
                    const auto right = oracle::flood_fill(transposed(voxels, e), turned, neighbours);
                    const ForegroundPacker packer(ScalarType::i32, {});
                    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), e, packer);
                    for (const int threads : {1, 4}) {
                        ThreadPool pool(threads);
                        block_runs::Request request;
                        request.extent = e, request.rule = rule, request.connectivity = *connectivity_of(neighbours);
                        const auto labelling = block_runs::label(request, source, pool);
                        labelling->prepare_paint(ScalarType::u64, labelling->numbers_with_x_slowest());
                        std::vector<std::uint64_t> labels(voxels.size());
                        labelling->paint({0, e.rows()}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
                        REQUIRE(transposed(labels, e) == right.of);
                    }
                }
}

TEST_CASE("order: a labelling slab by slab does not have the other order") {
    const std::vector<std::uint8_t> voxels(8, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), {2, 2, 2}, packer);
    ThreadPool pool(1);
    block_runs::Request request;
    request.extent = {2, 2, 2};
    const auto labelling = block_runs::label_streamed(request, source, pool, 1, "test");
    CHECK_THROWS_AS(labelling->numbers_with_x_slowest(), Error);
}
