// Tests the phases and the memory of published algorithms that follow from a paper: what a phase reads, how many levels there are, and
// which bytes an algorithm needs beside voxels and labels.
#include "kernels/published.h"
#include "kernels/volumes.h"
#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/api/measurements.h"

#include <string>

using namespace voxcc;

namespace {

const Algorithm& named(std::string_view name) {
    const Algorithm* algorithm = find_algorithm(name);
    REQUIRE(algorithm);
    return *algorithm;
}

std::vector<PhaseAccesses> counted(std::string_view name, oracle::Shape s, Connectivity c, const std::vector<std::uint8_t>& v,
                                   Relabel relabel = Relabel::marks) {
    std::vector<std::uint32_t> labels(v.size());
    auto phases = count_accesses(name, {s.nx, s.ny, s.nz}, c, v.data(), labels.data(), relabel);
    const auto want = oracle::flood_fill(v, s, number_of(c)).of;
    CHECK(std::equal(labels.begin(), labels.end(), want.begin()));
    return phases;
}

PhaseAccesses phase_of(const std::vector<PhaseAccesses>& phases, std::string_view name) {
    const auto found = std::find_if(phases.begin(), phases.end(), [&](const PhaseAccesses& p) { return p.phase == name; });
    REQUIRE_MESSAGE(found != phases.end(), std::string(name));
    return *found;
}

/// Runs an algorithm, and checks its labels.
PublishedRun run(const Algorithm& algorithm, oracle::Shape s, Connectivity c, const std::vector<std::uint8_t>& v,
                 const oracle::Labels& want, Relabel relabel) {
    std::vector<std::uint32_t> labels(v.size());
    PublishedRun run = run_published(algorithm, test_device(), {s.nx, s.ny, s.nz}, c, v.data(), labels.data(), published::pool(),
                                     Measure::none, {}, {.relabel = relabel});
    CHECK(run.components == want.count);
    CHECK(std::equal(labels.begin(), labels.end(), want.of.begin()));
    return run;
}

PublishedRun run(const Algorithm& algorithm, oracle::Shape s, Connectivity c, const std::vector<std::uint8_t>& v) {
    return run(algorithm, s, c, v, oracle::flood_fill(v, s, number_of(c)), Relabel::marks);
}

int calls_of(const PublishedRun& run, const std::string& phase) {
    const auto found = std::find_if(run.phases.begin(), run.phases.end(), [&](const Phase& p) { return p.name == phase; });
    return found == run.phases.end() ? 0 : found->calls;
}

}  // namespace

TEST_CASE("phases: block algorithms paint from one information word per block") {
    // 8 blocks of 2x2x2 voxels, all foreground, one component.
    const std::vector<std::uint8_t> v(64, 1);
    for (const char* name : {"buf", "bke", "be"}) {
        CAPTURE(name);
        const auto phases = counted(name, {4, 4, 4}, Connectivity::c26, v);
        // Each block reads its information and its label, and the 7 blocks that are not the root read the label of the root. For the root,
        // the list of roots is read three times, its voxel once, and its label once.
        const PhaseAccesses paint = phase_of(phases, "paint");
        CHECK(paint.reads == 8 + 8 + 7 + 5);
        CHECK(paint.bytes_read == 4 * (8 + 8 + 7 + 4) + 1);
        CHECK(paint.writes == 64);
    }
    // The initialisation of BUF reads nothing: the merge finds the inner voxels. It writes label and information of each block.
    const PhaseAccesses init = phase_of(counted("buf", {4, 4, 4}, Connectivity::c26, v), "init");
    CHECK(init.reads == 0);
    CHECK(init.writes == 2 * 8);
}

TEST_CASE("phases: labels and information of blocks need no memory beside the label volume") {
    struct Case {
        oracle::Shape s;
        Connectivity c;
        std::size_t words;  // that BKE needs for blocks of a single voxel
    };
    std::mt19937_64 rng(71);
    for (const Case& e : {Case{{8, 8, 8}, Connectivity::c26, 0},
                          {{9, 9, 9}, Connectivity::c26, 0},
                          {{9, 8, 9}, Connectivity::c26, 0},
                          {{1, 9, 9}, Connectivity::c26, 0},
                          {{9, 1, 9}, Connectivity::c26, 0},
                          {{1, 1, 9}, Connectivity::c26, 1},  // one line of voxels: a word, as in figure 8 (b)
                          {{1, 1, 8}, Connectivity::c26, 0},
                          {{9, 9, 1}, Connectivity::c8, 0},
                          {{9, 9, 3}, Connectivity::c18, 0},
                          {{9, 1, 3}, Connectivity::c18, 3},
                          {{9, 5, 3}, Connectivity::c6, 15},  // blocks of 2x1x1: each row of odd length ends with a single voxel
                          {{8, 5, 3}, Connectivity::c6, 0}}) {
        INFO(e.s.nx << "x" << e.s.ny << "x" << e.s.nz << " connectivity " << number_of(e.c));
        for (const int density : {30, 100}) {
            const auto v = volumes::random(e.s, density, 1, 1, rng);
            const PublishedRun buf = run(named("buf"), e.s, e.c, v), bke = run(named("bke"), e.s, e.c, v);
            CHECK(bke.bytes == buf.bytes + 4 * e.words);
            if (published::on_gpu()) continue;  // the sort needs memory there
            const std::int64_t edges[][3] = {{2, 2, 2}, {2, 2, 1}, {2, 1, 1}};
            const auto& edge = edges[e.c == Connectivity::c26 ? 0 : e.c == Connectivity::c6 ? 2 : 1];
            const std::int64_t blocks =
                (e.s.nx + edge[0] - 1) / edge[0] * ((e.s.ny + edge[1] - 1) / edge[1]) * ((e.s.nz + edge[2] - 1) / edge[2]);
            CHECK(buf.bytes == std::size_t(4 + 4 * (blocks / 16 + 1024) + 8 * std::int64_t(buf.components)));
        }
    }
}

TEST_CASE("phases: tm merges groups of 4 tiles, level by level") {
    // A full row of 8192 voxels: 512 tiles, which the paper merges in 5 levels. Each border takes one union.
    const std::vector<std::uint8_t> row(8192, 1);
    const auto phases = counted("tm", {8192, 1, 1}, Connectivity::c8, row);
    const std::uint64_t unions[] = {384, 96, 24, 6, 1};  // 3 borders of 4 tiles: 3/4 of 512, 128, 32 and 8 tiles; 1 border of 2 tiles
    for (int k = 1; k <= 5; ++k) CHECK(phase_of(phases, "global merge " + std::to_string(k)).atomics == unions[k - 1]);
    CHECK(phase_of(counted("tm-single", {8192, 1, 1}, Connectivity::c8, row), "merge x").atomics == 511);

    struct Case {
        oracle::Shape s;
        Connectivity c;
        int levels;
    };
    for (const Case& e : {Case{{16, 16, 1}, Connectivity::c8, 0},
                          {{17, 16, 1}, Connectivity::c8, 1},
                          {{3, 65, 1}, Connectivity::c4, 2},
                          {{16, 16, 4}, Connectivity::c26, 1},
                          {{16, 16, 5}, Connectivity::c6, 2},
                          {{16, 16, 5}, Connectivity::c8, 0}}) {
        INFO(e.s.nx << "x" << e.s.ny << "x" << e.s.nz << " connectivity " << number_of(e.c));
        const PublishedRun tm = run(named("tm"), e.s, e.c, std::vector<std::uint8_t>(std::size_t(e.s.size()), 1));
        CHECK(calls_of(tm, "path compression") == e.levels);
        for (int k = 1; k <= 3; ++k) CHECK((calls_of(tm, "global merge " + std::to_string(k)) > 0) == (k <= e.levels));
        CHECK(calls_of(tm, "merge x") == 0);
    }
}

TEST_CASE("phases: lbuf labels complete lines, of any length, and then merges lines") {
    for (const long nx : {1, 31, 255, 256, 257, 600, 1024}) {
        CAPTURE(nx);
        std::vector<std::uint8_t> v(std::size_t(2 * nx), 1);
        std::fill(v.begin() + nx, v.end(), std::uint8_t{0});
        if (nx > 300) v[std::size_t(nx) - 270] = 0;  // a second run in one line, which begins before a multiple of 256 or on it
        const auto phases = counted("lbuf", {nx, 2, 1}, Connectivity::c8, v);
        CHECK(phase_of(phases, "merge").atomics == 0);
        CHECK(phase_of(phases, "lines").writes == v.size());
    }
}

// The tests "published" compare the other way, Relabel::marks, with the same reference.
TEST_CASE("phases: both ways of relabelling give the same labels") {
    std::mt19937_64 rng(72);
    int scans = 0;
    for (const oracle::Shape& s : {sanitized ? oracle::Shape{35, 21, 5} : oracle::Shape{67, 45, 9},
                                   {1, 1, 1},
                                   sanitized ? oracle::Shape{75, 51, 1} : oracle::Shape{300, 201, 1}})
        for (const int density : {0, 12, 40, 100}) {
            const auto v = volumes::random(s, density, 1, 1, rng);
            for (const Connectivity c : published::all_connectivities) {
                if (reduced(c, {s.nx, s.ny, s.nz}) != c) continue;
                const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
                for (const Algorithm& algorithm : published::algorithms()) {
                    if (!supports(algorithm, Relabel::scan) || !supports(algorithm, c)) continue;
                    INFO(algorithm.name << " connectivity " << number_of(c));
                    CHECK(run(algorithm, s, c, v, want, Relabel::scan).bytes >= 4 * v.size());  // flags
                    ++scans;
                }
            }
        }
    CHECK(scans > 0);
}

TEST_CASE("phases: algorithms on blocks and block-runs have no scan over voxels") {
    for (const Algorithm& algorithm : all_algorithms()) {
        const bool on_blocks = algorithm.name.starts_with("b");  // buf, bke, be, block-runs
        CHECK(supports(algorithm, Relabel::scan) == !on_blocks);
        CHECK(supports(algorithm, Relabel::marks));
    }
    std::vector<std::uint8_t> v(8, 1);
    std::vector<std::uint32_t> labels(8);
    CHECK_THROWS_AS(run_published(named("buf"), test_device(), {2, 2, 2}, Connectivity::c26, v.data(), labels.data(), published::pool(),
                                  Measure::none, {}, {.relabel = Relabel::scan}),
                    Error);
}

TEST_CASE("phases: relabelling by a scan, counted by hand") {
    // # # . #: the flags are 1 0 0 1, and S is 1 1 1 2.
    const auto phases = counted("uf", {4, 1, 1}, Connectivity::c4, {1, 1, 0, 1}, Relabel::scan);
    const PhaseAccesses number = phase_of(phases, "number"), paint = phase_of(phases, "paint");
    CHECK(number.reads == 4);   // every label
    CHECK(number.writes == 4);  // every flag
    CHECK(paint.reads == 4 + 3);
    CHECK(paint.writes == 3);
}
