// Tests links_of() and Tracks: series by hand, and the independence of the order in which labels are found.
#include <voxcc/match.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace voxcc;

namespace {

using Row = std::vector<std::uint64_t>;
using Labels = std::pair<std::uint64_t, std::uint64_t>;

LabelOverlap overlap_of_rows(const Row& a, const Row& b) {
    const Extent extent{std::int64_t(a.size()), 1, 1};
    const ForegroundPacker nonzero(ScalarType::u64, {});
    StridedSource rows_a(view(a.data(), extent), nonzero), rows_b(view(b.data(), extent), nonzero);
    ThreadPool pool(1);
    return overlap_of(rows_a, rows_b, extent, pool);
}

/// The links of two frames, by labels.
std::map<Labels, LinkKind> links_between(const Row& a, const Row& b, const LinkRule& rule = {}) {
    const LabelOverlap overlap = overlap_of_rows(a, b);
    std::map<Labels, LinkKind> links;
    for (const FrameLink& link : links_of(overlap, rule)) links[{overlap.a.labels()[link.a], overlap.b.labels()[link.b]}] = link.kind;
    return links;
}

/// A series and its tracks.
struct Followed {
    std::vector<std::vector<TrackedObject>> objects;  // of each frame
    std::vector<Track> tracks;
};

Followed follow(const std::vector<Row>& frames, const LinkRule& rule = {}) {
    Followed result;
    std::optional<Tracks> tracks;
    for (std::size_t t = 1; t < frames.size(); ++t) {
        const LabelOverlap overlap = overlap_of_rows(frames[t - 1], frames[t]);
        if (!tracks) result.objects.push_back(tracks.emplace(overlap.a).objects());
        tracks->add(overlap, links_of(overlap, rule));
        result.objects.push_back(tracks->objects());
    }
    result.tracks = tracks->tracks();
    return result;
}

}  // namespace

TEST_CASE("an object with a partner, a split, a merge, and both") {
    using enum LinkKind;
    CHECK(links_between({1, 1, 0}, {5, 5, 0}) == std::map<Labels, LinkKind>{{{1, 5}, partner}});
    CHECK(links_between({1, 1, 1, 1}, {5, 5, 6, 6}) == std::map<Labels, LinkKind>{{{1, 5}, split}, {{1, 6}, split}});
    CHECK(links_between({1, 1, 2, 2}, {5, 5, 5, 5}) == std::map<Labels, LinkKind>{{{1, 5}, merge}, {{2, 5}, merge}});
    CHECK(links_between({1, 1, 1, 1, 1, 1, 1, 1, 2, 2}, {6, 6, 6, 5, 5, 5, 5, 5, 5, 5}) ==
          std::map<Labels, LinkKind>{{{1, 5}, split_merge}, {{1, 6}, split}, {{2, 5}, merge}});
    CHECK(links_between({1, 0}, {0, 5}).empty());
    CHECK(links_between({0, 0}, {0, 0}).empty());
}

TEST_CASE("a part without a partner must lie inside the other object as far as the rule demands") {
    const Row a{1, 1, 1, 1, 1, 1, 0, 0, 0, 0}, b{5, 5, 5, 5, 6, 6, 6, 6, 0, 0};  // 6 shares half of its voxels
    CHECK(links_between(a, b).size() == 2);
    CHECK(links_between(a, b, {.inside = 0.51}).size() == 1);
    // A single link is a link of partners, however it was found.
    CHECK(links_between({1, 1, 1, 1, 1, 1}, {5, 0, 0, 0, 0, 0}) == std::map<Labels, LinkKind>{{{1, 5}, LinkKind::partner}});
}

TEST_CASE("ties go to the smallest label, in any order of the rows") {
    const LinkRule one{.inside = 0.5};
    CHECK(links_between({3, 3, 3, 2, 2, 2}, {0, 9, 9, 9, 9, 0}, {.partners = {MatchRule::By::iou, 0.9}, .inside = 0.5}).size() == 2);
    CHECK(links_between({3, 3, 3, 3, 2, 2, 2, 2}, {0, 0, 9, 9, 9, 9, 0, 0}, {.partners = {MatchRule::By::iou, 0.9}, .inside = 0.5})
              .contains({2, 9}));
    CHECK(links_between({3, 2}, {9, 9}, {.assignment = Assignment::greedy, .inside = 1}).contains({2, 9}));
    CHECK(links_between({2, 3}, {9, 9}, {.assignment = Assignment::greedy, .inside = 1}).contains({2, 9}));
    CHECK(links_between({1, 1}, {8, 7}, one) == links_between({1, 1}, {7, 8}, one));
}

TEST_CASE("objects that overlap does not link are linked by distance") {
    const Row a{1, 1, 0, 0, 0, 2, 0, 0}, b{7, 7, 0, 0, 0, 0, 9, 8};
    CHECK(links_between(a, b).size() == 1);
    CHECK(links_between(a, b, {.reach = 1}) == std::map<Labels, LinkKind>{{{1, 7}, LinkKind::partner}, {{2, 9}, LinkKind::partner}});
    CHECK(links_between(a, b, {.reach = 0.9}).size() == 1);
}

TEST_CASE("labels up to 2^64 - 1") {
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK(links_between({most, most, most - 1}, {most, most, 1}) ==
          std::map<Labels, LinkKind>{{{most, most}, LinkKind::partner}, {{most - 1, 1}, LinkKind::partner}});
}

TEST_CASE("tracks of a series with a split, a gap, and a merge") {
    const Followed f = follow({{4, 4, 4, 4, 0, 9}, {1, 1, 2, 2, 0, 9}, {1, 1, 2, 2, 0, 0}, {3, 3, 3, 3, 0, 9}});
    CHECK(f.objects ==
          std::vector<std::vector<TrackedObject>>{{{4, 1}, {9, 2}}, {{1, 3}, {2, 4}, {9, 2}}, {{1, 3}, {2, 4}}, {{3, 5}, {9, 6}}});
    REQUIRE(f.tracks.size() == 6);
    const auto check = [&](std::size_t number, std::int64_t first, std::int64_t last, std::uint64_t parent, std::uint64_t tree,
                           const char* begins, const char* ends) {
        const Track& track = f.tracks[number - 1];
        CHECK(track.first == first);
        CHECK(track.last == last);
        CHECK(track.frames() == last - first + 1);
        CHECK(track.parent == parent);
        CHECK(track.tree == tree);
        CHECK(name_of(track.begin) == begins);
        CHECK(name_of(track.end) == ends);
    };
    check(1, 0, 0, 0, 1, "start", "split");
    check(2, 0, 1, 0, 2, "start", "gone");
    check(3, 1, 2, 1, 1, "split", "merge");
    check(4, 1, 2, 1, 1, "split", "merge");
    check(5, 3, 3, 3, 1, "merge", "end");
    check(6, 3, 3, 0, 6, "new", "end");
    CHECK(f.tracks[1].voxels == 2);
    CHECK(f.tracks[2].length == 0);
}

TEST_CASE("the path of a track") {
    const Followed f = follow({{1, 1, 1, 0, 0, 0}, {0, 1, 1, 1, 0, 0}, {0, 1, 1, 1, 1, 0}});
    REQUIRE(f.tracks.size() == 1);
    CHECK(f.tracks[0].length == 1.5);
    CHECK(f.tracks[0].voxels == 10);
}

TEST_CASE("series without objects, and with empty frames") {
    CHECK(follow({{0, 0}, {0, 0}}).tracks.empty());
    const Followed f = follow({{1, 1}, {0, 0}, {1, 1}});
    REQUIRE(f.tracks.size() == 2);
    CHECK(name_of(f.tracks[0].end) == "gone");
    CHECK(name_of(f.tracks[1].begin) == "new");
}

TEST_CASE("tracks are chains: each object has one track, and each track has one object per frame") {
    std::mt19937_64 rng(5);
    for (int round = 0; round < 300; ++round) {
        std::vector<Row> frames(6, Row(40));
        for (Row& frame : frames)
            for (std::size_t x = 0; x < frame.size();) {
                const std::uint64_t label = rng() % 3 == 0 ? 0 : 1 + x * 7 % 41;
                for (const std::size_t end = x + 1 + rng() % 6; x < end && x < frame.size(); ++x) frame[x] = label;
            }
        const Followed f = follow(frames, {.partners = {MatchRule::By::iou, 0.3}, .inside = 0.1 + double(rng() % 9) / 10});
        std::uint64_t next = 1;  // numbers of tracks begin in the order of their first objects
        std::map<std::uint64_t, std::vector<std::int64_t>> frames_of;
        for (std::size_t t = 0; t < frames.size(); ++t)
            for (const TrackedObject& object : f.objects[t]) {
                if (!frames_of.contains(object.track)) CHECK(object.track == next++);
                frames_of[object.track].push_back(std::int64_t(t));
            }
        REQUIRE(frames_of.size() == f.tracks.size());
        for (const auto& [number, at] : frames_of) {
            const Track& track = f.tracks[number - 1];
            CHECK(at.front() == track.first);
            CHECK(at.back() == track.last);
            CHECK(std::int64_t(at.size()) == track.frames());
            CHECK(track.parent < number);
            CHECK(track.tree <= number);
            if (track.parent != 0) {
                CHECK(f.tracks[track.parent - 1].last == track.first - 1);
                CHECK(f.tracks[track.parent - 1].tree == track.tree);
            }
            CHECK((track.parent == 0) == (track.begin == Track::Begin::start || track.begin == Track::Begin::created));
        }
    }
}
