// The tests "average", "steps", "density" and "granularity": times of complete runs and of their phases.
//
// Sources: YACCLAB's tests "average", "average with steps", "density" and "granularity", as Allegretti, Bolelli, Grana, "Optimized
// block-based algorithms to label connected components on GPUs", 2019, section 6.2, describes them.
#include "bench/evaluations/numbers.h"
#include "bench/evaluations/plan.h"

#include <algorithm>

namespace voxcc::bench {
namespace {

/// The values f(run) of all runs of a case.
template <class F>
std::vector<double> of_runs(const Case& c, const F& f) {
    std::vector<double> values;
    for (const Run& run : c.runs) values.push_back(f(run));
    return values;
}

void write_value(const Bench& bench, Record record, const char* phase, const char* statistic, double value, const char* unit) {
    record.phase = phase, record.statistic = statistic, record.value = value, record.unit = unit;
    bench.recorder.write(record);
}

void write_average(const Bench& bench, const Record& record, const Case& c, double ceiling) {
    const auto labelling = of_runs(c, [](const Run& r) { return r.labelling; });
    write_times(bench, record, "labelling", labelling);
    write_value(bench, record, "labelling", "share of ceiling", 100 * ceiling / summary_of(labelling).median, "%");
    if (c.runs.front().all > 0) write_times(bench, record, "with allocation and transfers", of_runs(c, [](const Run& r) { return r.all; }));
    write_value(bench, record, "labelling", "runs", double(c.runs.size()), "1");
    write_value(bench, record, "labelling", "components", double(c.runs.front().components), "1");
    if (c.runs.front().bytes > 0) write_value(bench, record, "labelling", "own memory", double(c.runs.front().bytes), "B");
}

void write_steps(const Bench& bench, const Record& record, const Case& c) {
    for (const Phase& phase : c.runs.front().phases)
        write_times(bench, record, step_of(phase.name), of_runs(c, [&](const Run& run) {
                        const auto same =
                            std::find_if(run.phases.begin(), run.phases.end(), [&](const Phase& p) { return p.name == phase.name; });
                        return same == run.phases.end() ? 0 : same->milliseconds;
                    }));
}

/// One step per item. Its results are written for every test in `tests`.
std::vector<Step> plan(const Bench& bench, const std::vector<Test>& tests, const std::vector<Item>& items) {
    std::vector<Step> steps;
    for (const Item& item : items)
        steps.push_back({item.volume.extent.voxels() * std::int64_t(item.algorithms.size()) * (bench.options.repeat + 1),
                         [&bench, tests, item](const Tick& tick) {
                             std::vector<Case> cases;
                             for (const Algorithm* algorithm : item.algorithms)
                                 cases.push_back({.algorithm = algorithm, .measure = bench.options.measure});
                             const auto [done, ceilings] = run_in_turn(bench, item.volume, item.connectivity, std::move(cases), tick);
                             for (const Test test : tests) {
                                 write_times(bench, record_of(test, "ceiling", item.connectivity, item.volume), "labelling", ceilings);
                                 for (const Case& c : done) {
                                     const Record record = record_of(test, c.algorithm->name, item.connectivity, item.volume);
                                     if (test == Test::average) write_average(bench, record, c, summary_of(ceilings).median);
                                     else if (test == Test::steps) write_steps(bench, record, c);
                                     else write_times(bench, record, "labelling", of_runs(c, [](const Run& r) { return r.labelling; }));
                                 }
                             }
                         }});
    return steps;
}

}  // namespace

std::vector<Step> plan_times(const Bench& bench) {
    std::vector<Step> steps;
    const auto add = [&](std::vector<Test> tests, Edges edges, const std::function<std::vector<Volume>(const Extent&)>& set) {
        std::erase_if(tests, [&](Test test) { return !bench.options.tests.contains(test); });
        if (tests.empty()) return;
        for (Step& step : plan(bench, tests, items_of(bench, edges, set))) steps.push_back(std::move(step));
    };
    add({Test::average, Test::steps}, {512, 8192}, default_set);
    constexpr Edges papers{256, 2048};
    add({Test::density}, papers, [](const Extent& extent) { return random_grid(extent, std::array{1}); });
    add({Test::granularity}, papers, [](const Extent& extent) { return random_grid(extent, std::array{1, 2, 4, 8, 16}); });
    return steps;
}

}  // namespace voxcc::bench
