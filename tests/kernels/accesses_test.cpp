#include "kernels3d/algorithms/count_accesses.h"
#include "kernels3d/label.h"

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
    const auto phases = counted("uf", {4, 1, 1}, Connectivity::c4, {1, 1, 0, 1});
    const PhaseAccesses init = phase_of(phases, "init");
    CHECK(init.reads == 4);
    CHECK(init.writes == 4);
    CHECK(init.atomics == 0);
    CHECK(init.bytes_read == 4);
    CHECK(init.bytes_written == 16);

    // Each voxel reads itself (4), and those that are set the voxel to their left, if there is one (2). The union of the first two reads
    // the parent of the left one, 1; the ways from 2 and from 1 are a read each; then a minimum.
    const PhaseAccesses merge = phase_of(phases, "merge");
    CHECK(merge.reads == 4 + 2 + 3);
    CHECK(merge.writes == 0);
    CHECK(merge.atomics == 1);
    CHECK(merge.bytes_read == 6 * 1 + 3 * 4 + 4);
    CHECK(merge.bytes_written == 4);

    // Each word is read (4). Of the three that are not 0, two are their own root (a read more), one has a way of one step: it reads word 0
    // once. Three write what they found.
    const PhaseAccesses compress = phase_of(phases, "compress");
    CHECK(compress.reads == 4 + 3);
    CHECK(compress.writes == 3);

    // Which words are roots (4 reads); the numbers of two roots, from their list.
    const PhaseAccesses number = phase_of(phases, "number");
    CHECK(number.reads == 4 + 2);
    CHECK(number.writes == 2);

    // All words (4), of the one that is neither 0 nor a root that root's; two roots lose their mark: list, word, word again.
    const PhaseAccesses paint = phase_of(phases, "paint");
    CHECK(paint.reads == 4 + 1 + 2 * 2);
    CHECK(paint.writes == 1 + 2);
}

TEST_CASE("accesses: four bytes read at once are one read") {
    // Blocks of two voxels; rows of a multiple of 4 are read by words. A block's own voxels lie in one of the two words.
    const PhaseAccesses init = phase_of(counted("buf", {8, 1, 1}, Connectivity::c4, std::vector<std::uint8_t>(8, 1)), "init");
    CHECK(init.bytes_read == 4 * init.reads);
    const PhaseAccesses by_bytes = phase_of(counted("buf", {6, 1, 1}, Connectivity::c4, std::vector<std::uint8_t>(6, 1)), "init");
    CHECK(by_bytes.bytes_read == by_bytes.reads);
    CHECK(by_bytes.reads == 6);
    CHECK(by_bytes.writes == 3);
}

TEST_CASE("accesses: all rows are counted, and label as they do uncounted") {
    std::mt19937_64 rng(31);
    const oracle::Shape s{37, 21, 5};
    const auto v = volumes::random(s, 40, 2, 1, rng);
    for (const AlgorithmRow& row : algorithm_rows()) {
        if (!row.is_published()) continue;
        for (const Connectivity c : row.connectivities) {
            INFO(row.name << ", connectivity " << number_of(c));
            std::vector<std::uint32_t> labels(v.size());
            const auto phases = count_accesses(row.name, {s.nx, s.ny, s.nz}, c, v.data(), labels.data());
            const auto want = oracle::flood_fill(v, s, number_of(c)).of;
            CHECK(std::equal(labels.begin(), labels.end(), want.begin()));
            std::uint64_t read = 0, written = 0;
            for (const PhaseAccesses& p : phases) read += p.bytes_read, written += p.bytes_written;
            CHECK(read >= v.size());  // every voxel, and every label is written
            CHECK(written >= 4 * v.size());
        }
    }
}

TEST_CASE("accesses: inline compression writes after every step") {
    const std::vector<std::uint8_t> row(4096, 1);
    const PhaseAccesses plain = phase_of(counted("uf", {4096, 1, 1}, Connectivity::c4, row), "compress");
    const PhaseAccesses inlined = phase_of(counted("uf-ic", {4096, 1, 1}, Connectivity::c4, row), "compress");
    CHECK(plain.writes == row.size());
    CHECK(plain.reads > 3 * row.size());  // ways are longer than those of flat trees
    CHECK(inlined.reads == plain.reads);
    CHECK(inlined.writes > plain.writes);
}
