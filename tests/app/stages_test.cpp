// The clock that gives all time of a run to its stages.
#include "src/pipeline/stages.h"

#include <doctest/doctest.h>

#include <cstddef>

using namespace voxcc;

namespace {

double sum_of(const StageSeconds& seconds) {
    double sum = 0;
    for (const Stage& stage : stages) sum += seconds.*stage.seconds;
    return sum;
}

}  // namespace

TEST_CASE("stages: every member of StageSeconds is listed") { CHECK(sizeof(StageSeconds) == stages.size() * sizeof(double)); }

TEST_CASE("stages: the stages together are the elapsed time") {
    StageClock clock;
    StageSeconds all;
    clock.end(&StageSeconds::start);
    const double first = clock_seconds();
    while (clock_seconds() - first < 0.002) {
    }
    clock.end(&StageSeconds::open);
    all += clock.take();
    CHECK(all.open >= 0.002);
    clock.end_labelling({.pack = 5, .unite = 2, .number = 3, .measure = 4, .paint = 6});  // paint belongs to write
    clock.end(&StageSeconds::write);
    all += clock.take();
    CHECK(all.unite == 2);
    CHECK(all.number == 3);
    CHECK(all.measure == 4);
    CHECK(sum_of(all) == doctest::Approx(clock.elapsed()));
    CHECK(clock.take() == StageSeconds{});
}
