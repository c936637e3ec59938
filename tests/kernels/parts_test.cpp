// Tests volumes that are labelled in parts against the same volume labelled in one piece: random volumes, parts of random sizes, every
// connectivity, rule and criterion.
#include "kernels/part_cases.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/parts/size_ranks.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <numeric>

using namespace voxcc;
using namespace part_cases;
using parts::PartNumbers;

namespace {

struct Result {
    std::vector<std::uint32_t> labels;
    std::vector<WideSums> sums;
    std::vector<std::uint64_t> values;
    std::vector<AxisSet> wraps = {};
    bool operator==(const Result&) const = default;
};

/// The rows of the table of one part, and its labels.
void add(const std::vector<std::uint8_t>& volume, const parts::Rules& rules, std::int64_t part, const PartNumbers& numbers, Result& to) {
    parts::LabelledPart again = labelled(volume, rules, part);
    const parts::PartState& state = again.state();
    const parts::Box box = rules.grid.box(part);
    const Extent& extent = rules.grid.volume();
    const std::vector<std::uint64_t> known = parts::numbers_of_part(numbers, state.row_counts);
    std::size_t listed = 0, joined = 0;
    for (std::size_t row = 0; row < known.size(); ++row) {
        const bool is_listed = listed < numbers.listed.size() && numbers.listed[listed] == row + 1;
        const bool begins = is_listed ? numbers.begins[listed++] != 0 : true;
        const bool is_joined = joined < numbers.joined.size() && numbers.joined[joined] == row + 1;
        const WideSums sums = is_joined ? numbers.totals[joined] : moved(state.sums[row], box.first);
        const AxisSet wraps = is_joined ? numbers.wraps[joined] : AxisSet{};
        joined += is_joined;
        if (!begins) continue;
        to.sums.at(known[row] - 1) = sums;
        to.wraps.at(known[row] - 1) = wraps;
        if (!state.values.empty()) to.values.at(known[row] - 1) = state.values[row];
    }
    again.prepare_paint(ScalarType::u32, known);
    std::vector<std::uint32_t> labels(std::size_t(box.extent().voxels()));
    again.paint({0, box.extent().rows()}, reinterpret_cast<std::byte*>(labels.data()));
    auto from = labels.begin();
    for (std::int64_t z = 0; z < box.count[2]; ++z)
        for (std::int64_t y = 0; y < box.count[1]; ++y, from += box.count[0])
            std::copy_n(from, box.count[0],
                        to.labels.begin() + box.first[0] + extent.nx * (box.first[1] + y + extent.ny * (box.first[2] + z)));
}

Result in_parts(const std::vector<std::uint8_t>& volume, const parts::Rules& rules) {
    HeldStates states;
    for (std::int64_t part = 0; part < rules.grid.parts(); ++part) states.states.push_back(labelled(volume, rules, part).take_state());
    std::vector<PartNumbers> numbers(std::size_t(rules.grid.parts()));
    HeldScratch scratch;
    const parts::Merged merged = parts::merge_parts(
        rules, states, scratch, [&](std::int64_t part, const PartNumbers& of_part) { numbers[std::size_t(part)] = of_part; });
    Result result;
    result.labels.resize(volume.size());
    result.sums.resize(merged.components);
    result.wraps.resize(merged.components);
    if (rules.rule == Rule::equal_values) result.values.resize(merged.components);
    for (std::int64_t part = rules.grid.parts() - 1; part >= 0; --part) add(volume, rules, part, numbers[std::size_t(part)], result);
    return result;
}

Result in_one_piece(const std::vector<std::uint8_t>& volume, const parts::Rules& rules) {
    const ForegroundPacker packer(ScalarType::u8, {});
    block_runs::Request request;
    request.extent = rules.grid.volume();
    request.connectivity = rules.connectivity;
    request.rule = rules.rule;
    request.periodic = rules.periodic;
    MemorySource source(reinterpret_cast<const std::byte*>(volume.data()), request.extent, packer);
    const auto labelling = block_runs::label(request, source, pool());
    const SumTable sums = labelling->measure();
    const std::vector<std::uint64_t> values = labelling->source_values();
    std::vector<Candidate> candidates;
    for (std::size_t row = 0; row < sums.size(); ++row)
        candidates.push_back(
            {sums.voxels(row), touches_border(sums[row], rules.border) ? Candidate::Place::at_border : Candidate::Place::inside});
    const Selection selection = select(candidates, rules.criteria);
    Result result;
    result.labels.resize(volume.size());
    labelling->prepare_paint(ScalarType::u32, selection.final_numbers);
    labelling->paint({0, request.extent.rows()}, reinterpret_cast<std::byte*>(result.labels.data()), Stores::cached);
    for (std::uint64_t label = 1; label <= selection.count; ++label) {
        result.sums.push_back(sums[selection.row_of(label)]);
        result.wraps.push_back(sums.wraps(selection.row_of(label)));
        if (!values.empty()) result.values.push_back(values[selection.row_of(label)]);
    }
    return result;
}

}  // namespace

TEST_CASE("parts: labels, sums and values equal the results of the volume in one piece") {
    std::mt19937_64 rng(26);
    int several_parts = 0, with_components = 0;
    for (int i = 0; i < 2500; ++i) {
        const Extent extent{drawn(rng, 1, 14), drawn(rng, 1, 12), drawn(rng, 1, 10)};
        const auto volume =
            volumes::random({extent.nx, extent.ny, extent.nz}, int(drawn(rng, 2, 95)), int(drawn(rng, 1, 3)), int(drawn(rng, 1, 3)), rng);
        const parts::Rules rules = drawn_rules(rng, extent);
        const Result want = in_one_piece(volume, rules), got = in_parts(volume, rules);
        CAPTURE(i);
        CAPTURE(number_of(rules.connectivity));
        REQUIRE(want.sums.size() == got.sums.size());
        REQUIRE(want.labels == got.labels);
        REQUIRE(want == got);
        several_parts += rules.grid.parts() > 8;
        with_components += want.sums.size() > 1;
    }
    CHECK(several_parts > 500);
    CHECK(with_components > 500);
}

TEST_CASE("parts: larger volumes, with words of bits that parts cut") {
    std::mt19937_64 rng(27);
    for (int i = 0; i < 12; ++i) {
        const Extent extent{drawn(rng, 60, 200), drawn(rng, 20, 40), drawn(rng, 10, 30)};
        const auto volume =
            volumes::random({extent.nx, extent.ny, extent.nz}, int(drawn(rng, 10, 60)), int(drawn(rng, 1, 6)), int(drawn(rng, 1, 2)), rng);
        parts::Rules rules = drawn_rules(rng, extent);
        rules.grid = parts::Grid(extent, {drawn(rng, 20, 130), drawn(rng, 5, 30), drawn(rng, 3, 20)});
        REQUIRE(in_one_piece(volume, rules) == in_parts(volume, rules));
    }
}

TEST_CASE("parts: a grid covers the volume") {
    const parts::Grid grid({5, 4, 3}, {3, 4, 2});
    CHECK(grid.parts() == 4);
    CHECK(grid.box(3) == parts::Box{{3, 0, 2}, {2, 4, 1}});
    CHECK(grid.neighbour(0, {1, 0, 1}, {}) == 3);
    CHECK(!grid.neighbour(0, {-1, 0, 0}, {}));
    CHECK(grid.neighbour(0, {-1, 0, 0}, {{true, false, false}}) == 1);
    CHECK(grid.neighbour(0, {0, 1, 0}, {{false, true, false}}) == 0);
    CHECK(grid.ends_crossed(0, {-1, 1, 1}) == parts::Step{-1, 1, 0});
    CHECK(!parts::Grid({5, 1, 3}, {3, 1, 2}).neighbour(0, {0, 1, 0}, {{false, true, false}}));  // one voxel does not wrap around
}

TEST_CASE("parts: ranks of components by size, in runs that are longer than what is in memory") {
    std::mt19937_64 rng(28);
    using Component = parts::SizeRanks::Component;
    for (const std::uint64_t sizes : {1, 40, 1'000'000}) {
        const std::vector<std::size_t> counts{10'000, 0, 1, 30'000, 4096, 8191};
        HeldScratch scratch;
        parts::SizeRanks ranks(scratch, std::int64_t(counts.size()));
        std::vector<Component> all;
        std::vector<std::uint64_t> numbers(52'288);
        std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
        std::ranges::shuffle(numbers, rng);
        for (std::size_t part = 0; part < counts.size(); ++part) {
            std::vector<Component> run;
            for (std::size_t i = 0; i < counts[part]; ++i) run.push_back({1 + rng() % sizes, numbers[all.size() + i], i + 1});
            if (!run.empty()) ranks.add(std::int64_t(part), run);
            all.insert(all.end(), run.begin(), run.end());
        }
        REQUIRE(ranks.rank() == all.size());
        std::vector<Component> sorted = all;
        std::ranges::sort(
            sorted, [](const Component& a, const Component& b) { return std::pair(b.voxels, a.number) < std::pair(a.voxels, b.number); });
        std::vector<std::uint64_t> rank_of(numbers.size() + 1);
        for (std::size_t i = 0; i < sorted.size(); ++i) rank_of[sorted[i].number] = i + 1;
        std::size_t at = 0;
        for (std::size_t part = 0; part < counts.size(); ++part) {
            const auto ranked = ranks.of(std::int64_t(part));
            REQUIRE(ranked.size() == counts[part]);
            for (std::size_t i = 0; i < ranked.size(); ++i, ++at) {
                REQUIRE(ranked[i].in_part == i + 1);
                REQUIRE(ranked[i].rank == rank_of[all[at].number]);
            }
        }
    }
}

TEST_CASE("parts: states that contradict each other are refused") {
    const std::vector<std::uint8_t> volume(4 * 4 * 4, 1);
    const parts::Grid grid({4, 4, 4}, {2, 4, 4});
    const parts::Rules rules{{.connectivity = Connectivity::c26}, grid, {}, {4, 4, 4}};
    HeldStates states;
    for (std::int64_t part = 0; part < 2; ++part) states.states.push_back(labelled(volume, rules, part).take_state());
    const auto merge = [&] {
        HeldScratch scratch;
        parts::merge_parts(rules, states, scratch, [](std::int64_t, const PartNumbers&) {});
    };
    CHECK_NOTHROW(merge());
    SUBCASE("rows") { states.states[1].row_counts.pop_back(); }
    SUBCASE("counts") { states.states[1].row_counts[0] = 0; }
    try {
        merge();
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::corrupt_file);
        CHECK(error.subject() == "part 1");
    }
}
