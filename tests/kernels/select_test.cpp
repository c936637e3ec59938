// Tests the selection and final numbering of components.
#include <voxcc/select.h>

#include <doctest/doctest.h>

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
