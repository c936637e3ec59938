// The memory model: figures that can be computed by hand, and limits that the engine must respect.
#include "kernels3d/engine/memory.h"
#include <voxcc/label.h>
#include "kernels3d/engine/request.h"

#include <doctest/doctest.h>

using namespace voxcc;
using namespace voxcc::block_runs;

namespace {

MemoryNeeds block_runs_needs(const Request& request, const MemoryConditions& conditions = {}) { return memory_bytes(request, conditions); }

Request request_for(const Extent& extent, Connectivity connectivity, Rule rule = Rule::foreground) {
    Request request;
    request.extent = extent, request.connectivity = connectivity, request.rule = rule;
    return request;
}

}  // namespace

TEST_CASE("memory: one block-row of one word") {
    CHECK(block_runs_needs(request_for({64, 2, 2}, Connectivity::c26)) ==
          MemoryNeeds{.bits = 32, .index = 12, .runs_smooth = 32 * 12, .runs_most = 32 * (12 + 32)});
}

TEST_CASE("memory: the cross-section follows the connectivity and the rule") {
    struct Expected {
        Connectivity connectivity;
        Rule rule;
        std::int64_t bits, index, slices;
    };
    // 65 columns are 2 words. 3 x 3 rows are 2 x 2, 2 x 3 or 3 x 3 block-rows.
    for (const Expected& e : {Expected{Connectivity::c26, Rule::foreground, 4 * 4 * 2 * 8, 4 * 2 * 12, 2},
                              {Connectivity::c18, Rule::foreground, 6 * 2 * 2 * 8, 6 * 2 * 12, 1},
                              {Connectivity::c6, Rule::foreground, 9 * 2 * 8, 9 * 2 * 12, 1},
                              {Connectivity::c26, Rule::equal_values, 9 * 2 * 8, 9 * 2 * 12, 1}}) {
        const Request request = request_for({65, 3, 3}, e.connectivity, e.rule);
        CAPTURE(number_of(e.connectivity));
        CHECK(block_runs_needs(request).bits == e.bits);
        CHECK(block_runs_needs(request).index == e.index);
        CHECK(slices_per_layer(request.extent, request) == e.slices);
    }
    CHECK(slices_per_layer({65, 3, 1}, {.connectivity = Connectivity::c26}) == 1);  // an image has connectivity 8
}

TEST_CASE("memory: a slab needs less than the volume, and two faces if the connectivity crosses slices") {
    const auto needs_of = [](Connectivity connectivity, std::int64_t slices) {
        return block_runs_needs(request_for({100, 50, 40}, connectivity), {.slices_per_slab = slices});
    };
    CHECK(needs_of(Connectivity::c26, 0).faces == 0);
    CHECK(needs_of(Connectivity::c26, 10).faces == 2 * 100 * 50 * 4);
    CHECK(needs_of(Connectivity::c8, 10).faces == 0);
    CHECK(4 * needs_of(Connectivity::c26, 10).bits == needs_of(Connectivity::c26, 0).bits);
    CHECK(needs_of(Connectivity::c26, 100).bits == needs_of(Connectivity::c26, 0).bits);  // the last slab may be thinner
}

TEST_CASE("memory: 64-bit run ids need 8 bytes per word of the index") {
    Request request = request_for({64, 2, 2}, Connectivity::c26);
    request.id_width = Request::IdWidth::wide;
    CHECK(block_runs_needs(request).index == 16);
    CHECK(block_runs_needs(request_for({65536, 65536, 1}, Connectivity::c8)).index == 65536 / 2 * 1024 * 16);
}

TEST_CASE("memory: published algorithms hold voxels, labels and values in place of bits") {
    const MemoryConditions published{.algorithm = "uf"};
    const auto needs = memory_bytes({10, 10, 10}, {}, published);
    CHECK(needs.bits == 0);
    CHECK(needs.index == 0);
    CHECK(needs.voxels == 5 * 1000);
    CHECK(memory_bytes({10, 10, 10}, {.rule = Rule::gradient}, published).voxels == 13 * 1000);
}

TEST_CASE("memory: fewer rows are fetched by more threads") {
    const Request request = request_for({64, 10, 80}, Connectivity::c26);
    CHECK(most_rows_fetched(request.extent, request, {.threads = 1}, 16) == 16);
    CHECK(most_rows_fetched(request.extent, request, {.threads = 1}, 10'000) == 800 + 10);
    CHECK(most_rows_fetched(request.extent, request, {.threads = 2}, 10'000) == 800 / 4 + 10);
    CHECK(most_rows_fetched(request.extent, request, {.threads = 2, .access = RowSource::Access::in_order}, 10'000) == 800 / 8 + 10);
}
