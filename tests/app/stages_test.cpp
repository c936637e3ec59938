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
    clock.end(&StageSeconds::start);
    const double first = clock_seconds();
    while (clock_seconds() - first < 0.002) {
    }
    clock.end(&StageSeconds::open);
    const StageTimes before = clock.times();
    CHECK(before.seconds.open >= 0.002);
    CHECK(sum_of(before.seconds) == doctest::Approx(before.elapsed));
    clock.end_labelling({.pack = 5, .unite = 2, .number = 3, .measure = 4, .paint = 6});  // paint belongs to write
    clock.end(&StageSeconds::write);
    const StageTimes later = clock.times() - before;
    CHECK(later.seconds.open == 0);
    CHECK(later.seconds.unite == 2);
    CHECK(later.seconds.number == 3);
    CHECK(later.seconds.measure == 4);
    CHECK(sum_of(later.seconds) == doctest::Approx(later.elapsed));
    CHECK(sum_of(clock.times().seconds) == doctest::Approx(clock.times().elapsed));
    clock.add({});
    CHECK(sum_of(clock.times().seconds) < clock.times().elapsed);
}
