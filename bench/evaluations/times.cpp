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

/// The phase of a run with this name; an empty phase if the run does not have it.
Phase phase_of(const Run& run, const std::string& name) {
    const auto found = std::find_if(run.phases.begin(), run.phases.end(), [&](const Phase& p) { return p.name == name; });
    return found == run.phases.end() ? Phase{} : *found;
}

/// Writes the times of each call of a phase as "PHASE 1", "PHASE 2", ... Runs can differ in their number of calls.
void write_passes(const Bench& bench, const Record& record, const Case& c, const std::string& name) {
    std::vector<std::vector<double>> passes;
    for (const Run& run : c.runs) {
        const Phase phase = phase_of(run, name);
        if (passes.size() < phase.each.size()) passes.resize(phase.each.size());
        for (std::size_t i = 0; i < phase.each.size(); ++i) passes[i].push_back(phase.each[i]);
    }
    if (passes.size() < 2) return;
    for (std::size_t i = 0; i < passes.size(); ++i) write_times(bench, record, step_of(name) + " " + std::to_string(i + 1), passes[i]);
}

void write_steps(const Bench& bench, const Record& record, const Case& c) {
    for (const Phase& phase : c.runs.front().phases) {
        const std::string step = step_of(phase.name);
        write_times(bench, record, step, of_runs(c, [&](const Run& run) { return phase_of(run, phase.name).milliseconds; }));
        const auto calls = of_runs(c, [&](const Run& run) { return double(phase_of(run, phase.name).calls); });
        write_value(bench, record, step.c_str(), "calls", summary_of(calls).median, "1");
        if (bench.options.passes == Options::Passes::each) write_passes(bench, record, c, phase.name);
    }
}

/// Each algorithm with each requested way to compute sums that it supports.
std::vector<Case> cases_of(const Bench& bench, const Item& item) {
    std::vector<Case> cases;
    for (const Algorithm* algorithm : item.algorithms)
        for (const Measure measure : bench.options.measures)
            if (supports(*algorithm, measure)) cases.push_back({.algorithm = algorithm, .measure = measure});
    return cases;
}

/// Adds "properties=NAME" to the parameters, unless only labelling without sums was requested.
Record record_of(const Bench& bench, Test test, const Case& c, const Item& item) {
    Record record = bench::record_of(test, c.algorithm->name, item.connectivity, item.volume);
    if (bench.options.measures != std::vector{Measure::none}) record.parameters += " properties=" + std::string(name_of(c.measure));
    return record;
}

/// Runs all cases of an item, and writes the results for every test in `tests`.
void measure(const Bench& bench, const std::vector<Test>& tests, const Item& item, const Tick& tick) {
    const auto [done, ceilings] = run_in_turn(bench, item.volume, item.connectivity, cases_of(bench, item), tick);
    for (const Test test : tests) {
        write_times(bench, bench::record_of(test, "ceiling", item.connectivity, item.volume), "labelling", ceilings);
        for (const Case& c : done) {
            const Record record = record_of(bench, test, c, item);
            if (test == Test::average) write_average(bench, record, c, summary_of(ceilings).median);
            else if (test == Test::steps) write_steps(bench, record, c);
            else write_times(bench, record, "labelling", of_runs(c, [](const Run& r) { return r.labelling; }));
        }
    }
}

/// One step per item that has at least one case.
std::vector<Step> plan(const Bench& bench, const std::vector<Test>& tests, const std::vector<Item>& items) {
    std::vector<Step> steps;
    for (const Item& item : items)
        if (const auto cases = std::int64_t(cases_of(bench, item).size()); cases > 0)
            steps.push_back({item.volume.extent.voxels() * cases * (bench.options.repeat + 1),
                             [&bench, tests, item](const Tick& tick) { measure(bench, tests, item, tick); }});
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
