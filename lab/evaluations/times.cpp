// The tests "average", "steps", "density" and "granularity": times of complete runs and of their phases.
//
// Sources: YACCLAB's tests "average", "average with steps", "density" and "granularity", as Allegretti, Bolelli, Grana, "Optimized
// block-based algorithms to label connected components on GPUs", 2019, section 6.2, describes them.
#include "kernels3d/api/algorithm_functions.h"
#include "lab/evaluations/numbers.h"
#include "lab/evaluations/plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace voxcc::bench {
namespace {

/// The values f(run) of all runs of a case.
template <class F>
std::vector<double> of_runs(const Case& c, const F& f) {
    std::vector<double> values;
    for (const Run& run : c.runs) values.push_back(f(run));
    return values;
}

/// The phase of a run with this name; an empty phase if the run does not have it.
Phase phase_of(const Run& run, const std::string& name) {
    const auto found = std::find_if(run.phases.begin(), run.phases.end(), [&](const Phase& p) { return p.name == name; });
    return found == run.phases.end() ? Phase{} : *found;
}

/// The parameter "properties=NAME" of rows; empty if only labelling without sums was requested.
std::string properties_of(const Bench& bench, Measure measure) {
    return bench.options.measures == std::vector{Measure::none} ? std::string() : "properties=" + std::string(name_of(measure));
}

/// Medians of the volumes of data sets, by test, algorithm and so on; for their means.
class DataSets {
public:
    /// Writes the times of a phase, and keeps their median if the volume belongs to a data set.
    void write(const Bench& bench, const std::string& data_set, const Record& record, Measure measure, const std::string& phase,
               std::span<const double> milliseconds) {
        write_times(bench, record, phase, milliseconds);
        if (data_set.empty()) return;
        Curve& curve = curves_[{record.test, data_set, record.connectivity, record.algorithm, measure, phase}];
        curve.record = record;
        curve.record.volume = data_set;
        curve.record.parameters = properties_of(bench, measure);
        curve.medians.push_back(summary_of(milliseconds).median);
    }
    /// Writes the mean and the deviation of each phase, for data sets of several volumes.
    void write_means(const Bench& bench) const {
        for (const auto& [key, curve] : curves_) {
            if (curve.medians.size() < 2) continue;
            const Summary summary = summary_of(curve.medians);
            const std::string& phase = std::get<5>(key);
            write_value(bench, curve.record, phase, "mean", summary.mean, "ms");
            write_value(bench, curve.record, phase, "deviation", summary.deviation, "ms");
            write_value(bench, curve.record, phase, "images", double(curve.medians.size()), "1");
        }
    }

private:
    struct Curve {
        Record record;
        std::vector<double> medians;
    };
    std::map<std::tuple<std::string, std::string, int, std::string, Measure, std::string>, Curve> curves_;
};

/// One row of the table "average".
void write_average(const Bench& bench, DataSets& data_sets, const std::string& data_set, const Record& record, const Case& c,
                   double ceiling) {
    const auto labelling = of_runs(c, [](const Run& r) { return r.labelling; });
    const double median = summary_of(labelling).median;
    data_sets.write(bench, data_set, record, c.measure, "labelling", labelling);
    write_value(bench, record, "labelling", "share of ceiling", 100 * ceiling / median, "%");
    write_value(bench, record, "labelling", "fps", 1000 / median, "1/s");
    const auto with_allocation = [](const Run& r) { return r.labelling + phase_of(r, "allocation").milliseconds; };
    if (c.runs.front().all > 0) {
        data_sets.write(bench, data_set, record, c.measure, "with allocation", of_runs(c, with_allocation));
        data_sets.write(bench, data_set, record, c.measure, "with allocation and transfers",
                        of_runs(c, [](const Run& r) { return r.all; }));
    }
    write_value(bench, record, "labelling", "runs", double(c.runs.size()), "1");
    write_value(bench, record, "labelling", "components", double(c.runs.front().components), "1");
    if (c.runs.front().bytes == 0) return;
    write_value(bench, record, "labelling", "own memory", double(c.runs.front().bytes), "B");
    write_value(bench, record, "labelling", "allocated", double(c.runs.front().allocated), "B");
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

void write_steps(const Bench& bench, DataSets& data_sets, const std::string& data_set, const Record& record, const Case& c) {
    for (const Phase& phase : c.runs.front().phases) {
        const std::string step = step_of(phase.name);
        data_sets.write(bench, data_set, record, c.measure, step,
                        of_runs(c, [&](const Run& run) { return phase_of(run, phase.name).milliseconds; }));
        const auto calls = of_runs(c, [&](const Run& run) { return double(phase_of(run, phase.name).calls); });
        write_value(bench, record, step, "calls", summary_of(calls).median, "1");
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

/// Runs all cases of an item, and writes the results for every test in `tests`.
void measure(const Bench& bench, DataSets& data_sets, const std::vector<Test>& tests, const Item& item, const Tick& tick) {
    const Rounds rounds = run_in_turn(bench, item, cases_of(bench, item), tick);
    for (const Test test : tests) {
        write_times(bench, record_of(test, "ceiling", item), "labelling", rounds.ceilings);
        for (const Case& c : rounds.cases) {
            Record record = record_of(test, c.algorithm->name, item);
            if (const std::string properties = properties_of(bench, c.measure); !properties.empty()) record.parameters += " " + properties;
            const std::string& data_set = item.volume.data_set;
            if (test == Test::average) write_average(bench, data_sets, data_set, record, c, summary_of(rounds.ceilings).median);
            else if (test == Test::steps) write_steps(bench, data_sets, data_set, record, c);
            else data_sets.write(bench, data_set, record, c.measure, "labelling", of_runs(c, [](const Run& r) { return r.labelling; }));
        }
    }
}

/// One step per item that has at least one case, and one for the means of data sets. The results are written for every test in `tests`.
std::vector<Step> plan(const Bench& bench, const std::vector<Test>& tests, const std::vector<Item>& items) {
    std::vector<Step> steps;
    const auto data_sets = std::make_shared<DataSets>();
    for (const Item& item : items)
        if (const auto cases = std::int64_t(cases_of(bench, item).size()); cases > 0)
            steps.push_back({item.volume.extent.voxels() * cases * (bench.options.repeat + 1),
                             [&bench, data_sets, tests, item](const Tick& tick) { measure(bench, *data_sets, tests, item, tick); }});
    if (!steps.empty()) steps.push_back({0, [&bench, data_sets](const Tick&) { data_sets->write_means(bench); }});
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
    const auto grid = [&](std::initializer_list<int> granularities) {
        return [&bench, names = std::vector(granularities)](const Extent& extent) {
            std::vector<Volume> all;
            for (const int granularity : names)
                for (Volume& volume : named_volumes("random-*-g" + std::to_string(granularity), extent, sampling_of(bench.options)))
                    all.push_back(std::move(volume));
            return all;
        };
    };
    add({Test::density}, papers, grid({1}));
    add({Test::granularity}, papers, grid({1, 2, 4, 8, 16}));
    return steps;
}

}  // namespace voxcc::bench
