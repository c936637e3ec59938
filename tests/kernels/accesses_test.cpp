// Tests the counts of memory accesses of the published algorithms.
#include "kernels3d/api/measurements.h"
#include "lab/algorithms/label_published.h"

#include <doctest/doctest.h>

#include "kernels/volumes.h"

#include <algorithm>

using namespace voxcc;

namespace {

PhaseAccesses phase_of(const std::vector<PhaseAccesses>& phases, std::string_view name) {
    const auto found = std::find_if(phases.begin(), phases.end(), [&](const PhaseAccesses& p) { return p.phase == name; });
    REQUIRE(found != phases.end());
    return *found;
}

std::vector<PhaseAccesses> counted(std::string_view row, oracle::Shape s, Connectivity c, const std::vector<std::uint8_t>& v) {
    std::vector<std::uint32_t> labels(v.size());
    return count_accesses(row, {s.nx, s.ny, s.nz}, c, v.data(), labels.data());
}

}  // namespace

TEST_CASE("accesses: union-find of a row of voxels, counted by hand") {
    // # # . #
    const auto phases = counted("uf-flat", {4, 1, 1}, Connectivity::c4, {1, 1, 0, 1});
    const PhaseAccesses init = phase_of(phases, "init");
    CHECK(init.reads == 4);
    CHECK(init.writes == 4);
    CHECK(init.atomics == 0);
    CHECK(init.bytes_read == 4);
    CHECK(init.bytes_written == 16);

    // Each voxel is read (4), and the left neighbour of each foreground voxel that has one (2). The union of labels 2 and 1 reads the
    // parent of label 1, and then follows the paths from 2 and from 1 (1 + 2). It makes one atomic minimum.
    const PhaseAccesses merge = phase_of(phases, "merge");
    CHECK(merge.reads == 4 + 2 + 3);
    CHECK(merge.writes == 0);
    CHECK(merge.atomics == 1);
    CHECK(merge.bytes_read == 6 * 1 + 3 * 4 + 4);
    CHECK(merge.bytes_written == 4);

    // Each word is read (4). For each of the three nonzero words, one parent is read: the word itself for the two roots, and word 0 for
    // voxel 1. Three words are written.
    const PhaseAccesses compress = phase_of(phases, "compress");
    CHECK(compress.reads == 4 + 3);
    CHECK(compress.writes == 3);

    // 4 reads select the roots. 2 reads of the list give the two roots, whose words are then written.
    const PhaseAccesses number = phase_of(phases, "number");
    CHECK(number.reads == 4 + 2);
    CHECK(number.writes == 2);

    // All words are read (4), and the root's word for the one word that is neither 0 nor a root (1). To remove the mark of each of the two
    // roots, the list and the word are read (2 * 2).
    const PhaseAccesses paint = phase_of(phases, "paint");
    CHECK(paint.reads == 4 + 1 + 2 * 2);
    CHECK(paint.writes == 1 + 2);
}

TEST_CASE("accesses: union-find of a row of two tiles, counted by hand") {
    // 34 voxels are a tile of 32 voxels and a part of the next tile. Each voxel is read once and each label is written once. The unions
    // within tiles are in shared memory, which is not counted.
    const auto phases = counted("uf", {34, 1, 1}, Connectivity::c4, std::vector<std::uint8_t>(34, 1));
    const PhaseAccesses local = phase_of(phases, "local merge");
    CHECK(local.reads == 34);
    CHECK(local.bytes_read == 34);
    CHECK(local.writes == 34);
    CHECK(local.atomics == 0);

    // Only voxel 32 is behind a border. It and its left neighbour are read (2). The union of labels 33 and 32 reads the parent of label 32,
    // which is 1, and then the words of the roots 33 and 1 (1 + 2).
    const PhaseAccesses merge = phase_of(phases, "merge x");
    CHECK(merge.reads == 2 + 3);
    CHECK(merge.bytes_read == 2 * 1 + 3 * 4 + 4);
    CHECK(merge.atomics == 1);

    // Each of the 34 words is read and written. Voxels 0 to 31 point to the root, and each reads its word (1). Voxels 32 and 33 point to
    // word 32: each reads this word and then the root's word (2), except that a word that was written before points to the root.
    const PhaseAccesses compress = phase_of(phases, "compress");
    CHECK(compress.writes == 34);
    CHECK(compress.reads >= 34 + 34);
    CHECK(compress.reads <= 34 + 32 + 2 * 2);
}

TEST_CASE("accesses: Playne's algorithm unites only separate pieces of a neighbourhood") {
    const auto merge_of = [](std::string_view algorithm, Connectivity c, const std::vector<std::uint8_t>& v) {
        return phase_of(counted(algorithm, {5, 4, 1}, c, v), "merge");
    };
    // In a full image, every neighbourhood is one piece: the merge reads voxels (1 byte each) and an entry of the table (8 bytes) per
    // voxel, but no label (4 bytes). ke reads labels.
    const std::vector<std::uint8_t> full(20, 1);
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8}) {
        const PhaseAccesses merge = merge_of("playne", c, full);
        CHECK(merge.bytes_read == (merge.reads - 20) * 1 + 20 * 8);
        CHECK(merge.atomics == 0);
        CHECK(merge_of("ke", c, full).bytes_read > merge_of("ke", c, full).reads);
    }
    // # . # . #    The last row joins the columns. Two of its voxels, below the second and the third column, see two pieces: the
    // # . # . #    column above, and the row to the left. Each of them joins two trees.
    // # . # . #
    // # # # # #
    const std::vector<std::uint8_t> comb{1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1};
    CHECK(merge_of("playne", Connectivity::c4, comb).atomics == 2);
}

TEST_CASE("accesses: four bytes read at once are one read") {
    // Blocks have two voxels. Rows whose length is a multiple of 4 are read by words; the voxels of a block are in one word.
    const PhaseAccesses init = phase_of(counted("bke", {8, 1, 1}, Connectivity::c4, std::vector<std::uint8_t>(8, 1)), "init");
    CHECK(init.reads > 0);
    CHECK(init.bytes_read == 4 * init.reads);
    const PhaseAccesses by_bytes = phase_of(counted("bke", {6, 1, 1}, Connectivity::c4, std::vector<std::uint8_t>(6, 1)), "init");
    CHECK(by_bytes.bytes_read == by_bytes.reads);
    CHECK(by_bytes.reads == 6 + 2);   // the voxels, and the voxel to the left of two blocks
    CHECK(by_bytes.writes == 3 + 3);  // label and information of each block
}

TEST_CASE("accesses: all algorithms can be counted, with the labels of uncounted runs") {
    std::mt19937_64 rng(31);
    const oracle::Shape s{37, 21, 5};
    const auto v = volumes::random(s, 40, 2, 1, rng);
    for (const Algorithm& algorithm : all_algorithms()) {
        if (!algorithm.is_published()) continue;
        for (const Connectivity c : algorithm.connectivities) {
            INFO(algorithm.name << ", connectivity " << number_of(c));
            std::vector<std::uint32_t> labels(v.size());
            const auto phases = count_accesses(algorithm.name, {s.nx, s.ny, s.nz}, c, v.data(), labels.data());
            const auto want = oracle::flood_fill(v, s, number_of(c)).of;
            CHECK(std::equal(labels.begin(), labels.end(), want.begin()));
            std::uint64_t read = 0, written = 0;
            for (const PhaseAccesses& p : phases) read += p.bytes_read, written += p.bytes_written;
            CHECK(read >= v.size());         // every voxel is read
            CHECK(written >= 4 * v.size());  // every label is written
        }
    }
}

// bke links each block of a row to the block before it: a path of n blocks. Walks take turns, one step each. Without inline compression, a
// word changes only when its walk ends. The walk from depth d is at depth d - k after k turns, and ends two turns after it meets a walk
// that has ended: f(d) = k + 2 where f(d - k) = k. So f grows by 2 per f steps of depth, f(d) = 2 sqrt(d), and all walks together read 4/3
// n^1.5 words. With inline compression, each turn about doubles the distance to the ancestor that a word holds: log2(n) turns.
TEST_CASE("accesses: inline compression writes after every step and saves reads") {
    constexpr std::uint64_t n = 1024;
    const std::vector<std::uint8_t> row(2 * n, 1);
    const auto compressed = [&](const char* algorithm) {
        return phase_of(counted(algorithm, {2 * n, 1, 1}, Connectivity::c4, row), "compress");
    };
    const PhaseAccesses plain = compressed("bke"), inlined = compressed("bke-ic");
    CHECK(plain.reads > 32 * n);  // n^1.5
    CHECK(plain.reads < 46 * n);  // 4/3 n^1.5, and the reads of words and flat trees
    CHECK(inlined.reads < 16 * n);
    CHECK(inlined.writes > plain.writes);
    CHECK(inlined.writes < 14 * n);
}

TEST_CASE("accesses: words of flat trees are read twice, with and without inline compression") {
    const std::vector<std::uint8_t> single{1, 0, 1, 0, 1, 0};
    for (const char* algorithm : {"uf-flat", "uf-ic"}) {
        CAPTURE(algorithm);
        const PhaseAccesses compress = phase_of(counted(algorithm, {6, 1, 1}, Connectivity::c4, single), "compress");
        CHECK(compress.reads == 6 + 3);  // each word, and the parent of each root
    }
}
