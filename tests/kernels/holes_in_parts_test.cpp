// Tests the holes of volumes in parts against a flood fill of the background: random volumes, parts of random sizes, every connectivity.
#include "kernels/oracle.h"
#include "kernels/part_cases.h"

#include <doctest/doctest.h>
#include <algorithm>

using namespace voxcc;
using namespace part_cases;

namespace {

using Voxels = std::vector<std::uint8_t>;

/// The neighbours of background voxels.
int dual_of(Connectivity c, const Extent& extent) {
    const bool is_sparse = c == Connectivity::c6 || c == Connectivity::c4;
    if (extent.nz == 1) return is_sparse ? 8 : 4;
    return is_sparse ? 26 : 6;
}

/// The voxels of holes by flood fill: 1 in holes, else 0.
Voxels flooded_holes(const Voxels& volume, const parts::Rules& rules, std::uint64_t most_voxels) {
    const Extent& e = rules.grid.volume();
    const oracle::Labels background = oracle::flood_fill_by(
        {e.nx, e.ny, e.nz}, dual_of(rules.connectivity, e), rules.periodic.axes, [&](long i) { return volume[std::size_t(i)] == 0; },
        [](long, long) { return true; });
    std::vector<std::uint64_t> sizes(background.count + 1);
    std::vector<bool> at_border(background.count + 1);
    const std::array<bool, 3> has_border{!rules.periodic.axes[0] && e.nx > 1, !rules.periodic.axes[1] && e.ny > 1,
                                         !rules.periodic.axes[2] && e.nz > 1};
    std::size_t i = 0;
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x, ++i) {
                const std::uint64_t label = background.of[i];
                ++sizes[label];
                if ((has_border[0] && (x == 0 || x == e.nx - 1)) || (has_border[1] && (y == 0 || y == e.ny - 1)) ||
                    (has_border[2] && (z == 0 || z == e.nz - 1)))
                    at_border[label] = true;
            }
    Voxels holes(volume.size());
    for (i = 0; i < holes.size(); ++i) {
        const std::uint64_t label = background.of[i];
        holes[i] = label > 0 && !at_border[label] && sizes[label] <= most_voxels;
    }
    return holes;
}

/// The same in parts. Sets the number of holes.
Voxels holes_in_parts(const Voxels& volume, const parts::Rules& rules, std::uint64_t most_voxels, std::uint64_t& count) {
    const parts::Rules background = parts::background_rules(rules, most_voxels);
    Voxels exchanged(volume.size());
    std::ranges::transform(volume, exchanged.begin(), [](std::uint8_t value) { return value == 0 ? 1 : 0; });
    const Extent& extent = rules.grid.volume();
    HeldStates states;
    for (std::int64_t part = 0; part < rules.grid.parts(); ++part)
        states.states.push_back(labelled(exchanged, background, part).take_state());
    HeldScratch scratch;
    Voxels holes(volume.size());
    count = parts::merge_parts(background, states, scratch, [&](std::int64_t part, const parts::PartNumbers& numbers) {
                parts::LabelledPart again = labelled(exchanged, background, part);
                const std::vector<std::uint64_t> known = parts::numbers_of_part(numbers, again.state().row_counts);
                again.prepare_paint(ScalarType::u32, known);
                const parts::Box box = rules.grid.box(part);
                std::vector<std::uint32_t> labels(std::size_t(box.extent().voxels()));
                again.paint({0, box.extent().rows()}, reinterpret_cast<std::byte*>(labels.data()));
                auto from = labels.begin();
                for (std::int64_t z = 0; z < box.count[2]; ++z)
                    for (std::int64_t y = 0; y < box.count[1]; ++y)
                        for (std::int64_t x = 0; x < box.count[0]; ++x, ++from)
                            holes[std::size_t(box.first[0] + x + extent.nx * (box.first[1] + y + extent.ny * (box.first[2] + z)))] =
                                *from > 0;
            }).components;
    CHECK(scratch.bytes.empty());
    return holes;
}

/// A solid box with margins of one voxel, for tests that carve it.
struct Solid {
    Extent extent;
    Voxels voxels;
    explicit Solid(const Extent& e) : extent(e), voxels(std::size_t(e.voxels())) {
        for (std::int64_t z = 1; z < e.nz - 1; ++z)
            for (std::int64_t y = 1; y < e.ny - 1; ++y)
                for (std::int64_t x = 1; x < e.nx - 1; ++x) at(x, y, z) = 1;
    }
    std::uint8_t& at(std::int64_t x, std::int64_t y, std::int64_t z) { return voxels[std::size_t(x + extent.nx * (y + extent.ny * z))]; }
};

std::uint64_t require_equal(const Voxels& volume, const parts::Rules& rules, std::uint64_t most_voxels) {
    std::uint64_t count = 0;
    const Voxels want = flooded_holes(volume, rules, most_voxels), got = holes_in_parts(volume, rules, most_voxels, count);
    REQUIRE(want == got);
    REQUIRE((count > 0) == (std::ranges::count(want, 1) > 0));
    return count;
}

constexpr std::uint64_t any_size = ~std::uint64_t{0};

}  // namespace

TEST_CASE("holes in parts: random volumes equal a flood fill of the background") {
    std::mt19937_64 rng(31);
    int with_holes = 0, thin = 0, flat = 0;
    for (int i = 0; i < 2500; ++i) {
        const Extent extent{drawn(rng, 3, 14), drawn(rng, 3, 12), drawn(rng, 1, 10)};
        const Voxels volume =
            volumes::random({extent.nx, extent.ny, extent.nz}, int(drawn(rng, 40, 97)), int(drawn(rng, 1, 3)), int(drawn(rng, 1, 3)), rng);
        parts::Rules rules = drawn_rules(rng, extent);
        if (extent.nz == 1 && i % 2) rules.connectivity = i % 4 == 1 ? Connectivity::c4 : Connectivity::c8;
        const std::uint64_t most = rng() % 3 == 0 ? std::uint64_t(drawn(rng, 1, 8)) : any_size;
        CAPTURE(i);
        CAPTURE(number_of(rules.connectivity));
        const bool has_holes = require_equal(volume, rules, most) > 0 && rules.grid.parts() > 4;
        const auto& part = rules.grid.part_size();
        with_holes += has_holes;
        thin += has_holes && std::ranges::count(part, 1) > 0;
        flat += has_holes && extent.nz == 1;
    }
    CHECK(with_holes > 300);
    CHECK(thin > 100);
    CHECK(flat > 20);
}

TEST_CASE("holes in parts: a hole winds through all parts, and has a way out or none") {
    Solid solid({19, 19, 3});
    for (std::int64_t y = 1; y < 18; y += 2)  // a snake of one voxel
        for (std::int64_t x = 1; x < 18; ++x) {
            solid.at(x, y, 1) = 0;
            if (y + 2 < 18) solid.at(y % 4 == 1 ? 17 : 1, y + 1, 1) = 0;
        }
    for (std::int64_t i = 0; i < 19; ++i)
        for (std::int64_t j = 0; j < 19; ++j) {
            solid.at(i, j, 0) = solid.at(i, j, 2) = 1;
            solid.at(i, 0, 1) = solid.at(i, 18, 1) = solid.at(0, i, 1) = solid.at(18, i, 1) = 1;
        }
    const auto voids = std::uint64_t(std::ranges::count(solid.voxels, 0));
    for (const std::int64_t size : {1, 2, 3, 5, 7, 19}) {
        const parts::Grid grid(solid.extent, {size, size, size});
        const parts::Rules rules{{.connectivity = Connectivity::c26}, grid, {}, solid.extent};
        CHECK(require_equal(solid.voxels, rules, any_size) == 1);
        CHECK(require_equal(solid.voxels, rules, voids) == 1);
        CHECK(require_equal(solid.voxels, rules, voids - 1) == 0);
        Solid open = solid;
        open.at(18, 17, 1) = 0;
        CHECK(require_equal(open.voxels, rules, any_size) == 0);
    }
}

TEST_CASE("holes in parts: pieces touch at an edge or a corner of parts only") {
    for (const Connectivity connectivity : {Connectivity::c6, Connectivity::c18, Connectivity::c26})
        for (const std::array<std::int64_t, 3> step :
             {std::array<std::int64_t, 3>{1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, -1, 1}}) {
            Solid solid({8, 8, 8});
            const std::int64_t y = step[1] < 0 ? 4 : 3;
            solid.at(3, y, 3) = 0;
            solid.at(3 + step[0], y + step[1], 3 + step[2]) = 0;
            const parts::Grid grid(solid.extent, {4, 4, 4});
            const parts::Rules rules{{.connectivity = connectivity}, grid, {}, solid.extent};
            const bool is_one = connectivity == Connectivity::c6 || std::ranges::count(step, 0) == 2;
            CHECK(require_equal(solid.voxels, rules, any_size) == (is_one ? 1 : 2));
            CHECK(require_equal(solid.voxels, rules, 1) == (is_one ? 0 : 2));
        }
}

TEST_CASE("holes in parts: shells inside shells") {
    Solid solid({21, 21, 21});
    for (std::int64_t z = 0; z < 21; ++z)
        for (std::int64_t y = 0; y < 21; ++y)
            for (std::int64_t x = 0; x < 21; ++x) {
                const std::int64_t to_centre = std::max({std::abs(x - 10), std::abs(y - 10), std::abs(z - 10)});
                solid.at(x, y, z) = to_centre % 2;  // shells at distances 9, 7, 5, 3 and 1
            }
    for (const std::int64_t size : {3, 8, 10, 21}) {
        const parts::Grid grid(solid.extent, {size, size, size});
        const parts::Rules rules{{.connectivity = Connectivity::c26}, grid, {}, solid.extent};
        CHECK(require_equal(solid.voxels, rules, any_size) == 5);  // at the distances 0, 2, 4, 6 and 8
        CHECK(require_equal(solid.voxels, rules, 98) == 2);
    }
}

TEST_CASE("holes in parts: opposite faces of periodic axes are no border") {
    Solid solid({7, 6, 5});
    std::ranges::fill(solid.voxels, std::uint8_t{1});
    solid.at(0, 2, 2) = solid.at(6, 2, 2) = 0;
    const parts::Grid grid(solid.extent, {3, 3, 3});
    parts::Rules rules{{.connectivity = Connectivity::c26}, grid, {}, solid.extent};
    CHECK(require_equal(solid.voxels, rules, any_size) == 0);
    rules.periodic.axes[0] = true;
    rules.border.nx = 1;
    CHECK(require_equal(solid.voxels, rules, 2) == 1);
    CHECK(require_equal(solid.voxels, rules, 1) == 0);
}

TEST_CASE("holes in parts: the rules of the background") {
    const parts::Grid grid({9, 8, 1}, {2, 2, 1});
    parts::Rules rules{{}, grid};
    rules.connectivity = Connectivity::c26;
    rules.rule = Rule::equal_values;
    rules.criteria.min_voxels = 5;
    rules.criteria.keep_largest = 3;
    rules.criteria.numbering = Numbering::by_size;
    rules.border = {9, 1, 1};
    rules.periodic.axes[1] = true;
    const parts::Rules background = parts::background_rules(rules, 7);
    CHECK(background.connectivity == Connectivity::c4);
    CHECK(background.rule == Rule::foreground);
    CHECK(background.border == rules.border);
    CHECK(background.periodic.axes == rules.periodic.axes);
    Criteria criteria;
    criteria.max_voxels = 7;
    criteria.border = Criteria::Border::clear;
    CHECK(background.criteria == criteria);
    CHECK(background.grid.part_size() == rules.grid.part_size());
}
