// Tests the selection and final numbering of components.
#include <voxcc/label.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace voxcc;

namespace {
using Place = Candidate::Place;
const std::vector<Candidate> five{{3}, {7, Place::at_border}, {1}, {7}, {3}};
std::vector<std::uint64_t> numbers(const Criteria& c) { return select(five, c).final_numbers; }
}  // namespace

TEST_CASE("without criteria, nothing changes") {
    const Selection s = select(five, {});
    CHECK(s.is_identity());
    CHECK(s.count == 5);
    CHECK(s.row_of(3) == 2);
    CHECK(select({}, {}).count == 0);
}

TEST_CASE("size limits are inclusive, and numbers have no gaps") {
    Criteria c;
    c.min_voxels = 3, c.max_voxels = 6;
    CHECK(numbers(c) == std::vector<std::uint64_t>{1, 0, 0, 0, 2});
    c.min_voxels = 8;
    CHECK(select(five, c).count == 0);
    CHECK(numbers(c) == std::vector<std::uint64_t>(5, 0));
}

TEST_CASE("the largest, ties by first voxel, in raster order or by size") {
    Criteria c;
    c.keep_largest = 3;
    CHECK(numbers(c) == std::vector<std::uint64_t>{1, 2, 0, 3, 0});
    c.numbering = Numbering::by_size;
    CHECK(numbers(c) == std::vector<std::uint64_t>{3, 1, 0, 2, 0});
    CHECK(select(five, c).rows == std::vector<std::uint64_t>{1, 3, 0});
    CHECK(select(five, c).row_of(1) == 1);
    c.keep_largest.reset();
    CHECK(numbers(c) == std::vector<std::uint64_t>{3, 1, 5, 2, 4});
    c.keep_largest = 0;
    CHECK(select(five, c).count == 0);
}

TEST_CASE("the largest components are selected after border removal") {
    Criteria c;
    c.border = Criteria::Border::clear;
    c.keep_largest = 1;
    CHECK(numbers(c) == std::vector<std::uint64_t>{0, 0, 0, 1, 0});
}

TEST_CASE("ties of the smallest kept size: the first, the last, or all") {
    Criteria c;  // five has the sizes 3 7 1 7 3
    const auto kept = [&](std::uint64_t count, Criteria::Ties ties) {
        c.keep_largest = count, c.ties = ties;
        return numbers(c);
    };
    using enum Criteria::Ties;
    using Numbers = std::vector<std::uint64_t>;
    CHECK(kept(1, first) == Numbers{0, 1, 0, 0, 0});
    CHECK(kept(1, last) == Numbers{0, 0, 0, 1, 0});
    CHECK(kept(1, all) == Numbers{0, 1, 0, 2, 0});
    CHECK(kept(2, last) == Numbers{0, 1, 0, 2, 0});
    CHECK(kept(3, last) == Numbers{0, 1, 0, 2, 3});
    CHECK(kept(3, all) == Numbers{1, 2, 0, 3, 4});
    CHECK(kept(0, all) == Numbers(5, 0));
    c.numbering = Numbering::by_size;
    CHECK(kept(3, last) == Numbers{0, 1, 0, 2, 3});
}

TEST_CASE("random sizes: the largest components are those of a stable sort") {
    using enum Criteria::Ties;
    std::mt19937 random(1);
    for (int repeat = 0; repeat < 300; ++repeat) {
        std::vector<Candidate> candidates(random() % 12);
        for (Candidate& candidate : candidates) candidate.voxels = 1 + random() % 4;
        Criteria c;
        c.min_voxels = random() % 3, c.keep_largest = random() % 12;
        c.ties = random() % 2 ? first : last;
        std::vector<std::uint64_t> rows;
        for (std::uint64_t row = 0; row < candidates.size(); ++row)
            if (candidates[row].voxels >= c.min_voxels) rows.push_back(row);
        if (c.ties == last) std::reverse(rows.begin(), rows.end());
        std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return candidates[a].voxels > candidates[b].voxels; });
        rows.resize(std::min(rows.size(), std::size_t(*c.keep_largest)));
        std::sort(rows.begin(), rows.end());
        const Selection s = select(candidates, c);
        REQUIRE(s.count == rows.size());
        for (std::uint64_t number = 1; number <= s.count; ++number) CHECK(s.row_of(number) == rows[number - 1]);
    }
}
