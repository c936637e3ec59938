// Tests the number of passes of the iterative algorithms on images whose passes can be counted by hand. One CPU thread processes the voxels
// in raster order, in place: a label moves any distance forward in a pass, and one voxel or link backward.
#include "kernels/oracle.h"
#include "lab/algorithms/label_published.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace voxcc;

namespace {

struct Image {
    explicit Image(std::int64_t x, std::int64_t y) : nx(x), ny(y), voxels(std::size_t(x * y)) {}
    void column(std::int64_t x, std::int64_t first, std::int64_t last) {
        for (std::int64_t y = first; y <= last; ++y) voxels[std::size_t(y * nx + x)] = 1;
    }
    void row(std::int64_t y, std::int64_t first, std::int64_t last) {
        for (std::int64_t x = first; x <= last; ++x) voxels[std::size_t(y * nx + x)] = 1;
    }
    std::int64_t nx, ny;
    std::vector<std::uint8_t> voxels;
};

std::vector<Phase> phases_of(const char* name, const Image& image) {
    const Algorithm* const algorithm = find_algorithm(name);
    REQUIRE(algorithm);
    ThreadPool one(1);
    std::vector<std::uint32_t> labels(image.voxels.size());
    const PublishedRun run =
        run_published(*algorithm, Device{}, {image.nx, image.ny, 1}, Connectivity::c4, image.voxels.data(), labels.data(), one);
    CHECK(run.components == 1);
    return run.phases;
}

int calls_of(const char* phase, const std::vector<Phase>& phases) {
    const auto found = std::find_if(phases.begin(), phases.end(), [&](const Phase& p) { return p.name == phase; });
    return found == phases.end() ? 0 : found->calls;
}

/// A path of one voxel's width: down, up, down and up again. Label 1 goes up the second column in as many passes as it has rows. By then,
/// the label of the top of the second column has gone down the third column and up the fourth.
Image snake_of(int rows) {
    Image snake(7, rows);
    for (int x = 0; x < 7; x += 2) snake.column(x, 1, rows - 1);
    snake.column(0, 0, 0);
    snake.row(rows - 1, 0, 2), snake.row(1, 2, 4), snake.row(rows - 1, 4, 6);
    return snake;
}

int passes(const char* name, const Image& image) { return calls_of("propagate", phases_of(name, image)); }

}  // namespace

TEST_CASE("passes: Shibata's naive and slow steps go up an arm row by row, the fast step does not") {
    // #...#  The first pass takes label 1 down the left arm and along the last row. The right arm has the label of its top by then. Each
    // #...#  further pass of the naive and of the slow step takes label 1 up by a row; the last pass changes nothing. The fast step
    // #####  stores label 1 at the top of the right arm in the second pass, because the arm's label names the top.
    const int rows = 64;
    Image u(5, rows);
    u.column(0, 0, rows - 1), u.column(4, 0, rows - 1), u.row(rows - 1, 0, 4);
    CHECK(passes("shibata-naive", u) == rows + 1);
    CHECK(passes("shibata-slow", u) == rows + 1);
    CHECK(passes("shibata", u) <= 5);
}

TEST_CASE("passes: Shibata's slow step relabels a region at once if the voxel that its label names has a better label") {
    const int rows = 60;
    const Image snake = snake_of(rows);
    CHECK(passes("shibata-naive", snake) >= 2 * (rows - 5));
    CHECK(passes("shibata-slow", snake) >= rows - 5);
    CHECK(passes("shibata-slow", snake) <= rows + 5);
    CHECK(passes("shibata", snake) <= 10);
}

TEST_CASE("passes: max-gather leaves holes, which 1-gather fills") {
    // A cross with arms of `arm` voxels. Max-gather gives the label of the top to the column. The row keeps the label of its left end,
    // because the links of its voxels jump over the centre. 1-gather then needs a pass per voxel to the left of the centre, and a last one.
    const int arm = 7;
    Image cross(2 * arm + 1, 2 * arm + 1);
    cross.column(arm, 0, 2 * arm), cross.row(arm, 0, 2 * arm);
    const std::vector<Phase> phases = phases_of("ziegler-max-gather", cross);
    CHECK(calls_of("max-gather", phases) >= 2);
    CHECK(calls_of("propagate", phases) == arm + 1);
    CHECK(passes("ziegler-links", cross) <= 3);

    Image full(9, 9);
    for (int y = 0; y < 9; ++y) full.row(y, 0, 8);
    CHECK(passes("ziegler-max-gather", full) == 1);  // max-gather reaches all voxels
}

TEST_CASE("passes: masters relabel a region at once, links take straight runs at once") {
    // Without masters, label 1 has to go up the fourth column, too.
    const int rows = 60;
    const Image snake = snake_of(rows);
    const int gather = passes("ziegler-gather", snake), masters = passes("ziegler-masters", snake);
    CHECK(gather >= 2 * (rows - 5));
    CHECK(masters >= rows - 5);
    CHECK(masters <= rows + 5);
    CHECK(passes("ziegler-links", snake) <= 10);
    CHECK(passes("ziegler-master-slave", snake) <= passes("ziegler-links", snake));
}

TEST_CASE("passes: each pass of label equivalence is one scan and one analysis") {
    Image u(5, 20);
    u.column(0, 0, 19), u.column(4, 0, 19), u.row(19, 0, 4);
    for (const char* name :
         {"le-hle", "le-kle", "le-kle-f4", "le-kle-p4", "le-hybrid", "le-hybrid-f8", "le-hybrid-p4", "le-hybrid-global"}) {
        INFO(name);
        const std::vector<Phase> phases = phases_of(name, u);
        CHECK(calls_of("first scan", phases) == 1);
        CHECK(calls_of("scan", phases) >= 2);
        CHECK(calls_of("analysis", phases) == calls_of("scan", phases));
    }
    for (const char* name : {"ole", "be"}) {
        INFO(name);
        const std::vector<Phase> phases = phases_of(name, u);
        CHECK(calls_of("scan", phases) >= 2);
        CHECK(calls_of("analysis", phases) == calls_of("scan", phases) - 1);
    }
}

TEST_CASE("passes: a phase has the time of each call") {
    Image u(5, 20);
    u.column(0, 0, 19), u.column(4, 0, 19), u.row(19, 0, 4);
    for (const Phase& phase : phases_of("shibata-naive", u)) {
        INFO(phase.name);
        CHECK(int(phase.each.size()) == phase.calls);
        CHECK(std::accumulate(phase.each.begin(), phase.each.end(), 0.0) == doctest::Approx(phase.milliseconds));
    }
}
