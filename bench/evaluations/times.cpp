// The tests "average", "steps", "density" and "granularity": times of complete runs and of their phases.
//
// Sources: YACCLAB's tests "average", "average with steps", "density" and "granularity", as Allegretti, Bolelli, Grana, "Optimized
// block-based algorithms to label connected components on GPUs", 2019, section 6.2, describes them.
#include "bench/evaluations/numbers.h"
#include "bench/evaluations/plan.h"

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

/// The time of a phase; 0 if the run does not have it.
double milliseconds_of(const Run& run, const std::string& name) {
    const auto phase = std::find_if(run.phases.begin(), run.phases.end(), [&](const Phase& p) { return p.name == name; });
    return phase == run.phases.end() ? 0 : phase->milliseconds;
}

/// Medians of the volumes of data sets, by test, algorithm and so on; for their means.
class DataSets {
public:
    /// Writes the times of a phase, and keeps their median if the volume belongs to a data set.
    void write(const Bench& bench, const std::string& data_set, const Record& record, const std::string& phase,
               std::span<const double> milliseconds) {
        write_times(bench, record, phase, milliseconds);
        if (data_set.empty()) return;
        Curve& curve = curves_[{record.test, data_set, record.connectivity, record.algorithm, phase}];
        curve.record = record;
        curve.record.volume = data_set;
        curve.record.parameters = properties_of(bench.options.measure);
        curve.medians.push_back(summary_of(milliseconds).median);
    }
    /// Writes the mean and the deviation of each phase, for data sets of several volumes.
    void write_means(const Bench& bench) const {
        for (const auto& [key, curve] : curves_) {
            if (curve.medians.size() < 2) continue;
            const Summary summary = summary_of(curve.medians);
            const std::string& phase = std::get<4>(key);
            write_value(bench, curve.record, phase, "mean", summary.mean, "ms");
            write_value(bench, curve.record, phase, "deviation", summary.deviation, "ms");
            write_value(bench, curve.record, phase, "images", double(curve.medians.size()), "1");
        }
    }

    /// The parameter of the rows if properties are computed, as "properties=late".
    static std::string properties_of(Measure measure) {
        return measure == Measure::none ? std::string() : "properties=" + std::string(name_of(measure));
    }

private:
    struct Curve {
        Record record;
        std::vector<double> medians;
    };
    std::map<std::tuple<std::string, std::string, int, std::string, std::string>, Curve> curves_;
};

/// One row of the table "average".
void write_average(const Bench& bench, DataSets& data_sets, const std::string& data_set, const Record& record, const Case& c,
                   double ceiling) {
    const auto labelling = of_runs(c, [](const Run& r) { return r.labelling; });
    const double median = summary_of(labelling).median;
    data_sets.write(bench, data_set, record, "labelling", labelling);
    write_value(bench, record, "labelling", "share of ceiling", 100 * ceiling / median, "%");
    write_value(bench, record, "labelling", "fps", 1000 / median, "1/s");
    const auto with_allocation = [](const Run& r) { return r.labelling + milliseconds_of(r, "allocation"); };
    if (c.runs.front().all > 0) {
        data_sets.write(bench, data_set, record, "with allocation", of_runs(c, with_allocation));
        data_sets.write(bench, data_set, record, "with allocation and transfers", of_runs(c, [](const Run& r) { return r.all; }));
    }
    write_value(bench, record, "labelling", "runs", double(c.runs.size()), "1");
    write_value(bench, record, "labelling", "components", double(c.runs.front().components), "1");
    if (c.runs.front().bytes == 0) return;
    write_value(bench, record, "labelling", "own memory", double(c.runs.front().bytes), "B");
    write_value(bench, record, "labelling", "allocated", double(c.runs.front().allocated), "B");
}

void write_steps(const Bench& bench, DataSets& data_sets, const std::string& data_set, const Record& record, const Case& c) {
    for (const Phase& phase : c.runs.front().phases)
        data_sets.write(bench, data_set, record, step_of(phase.name),
                        of_runs(c, [&](const Run& run) { return milliseconds_of(run, phase.name); }));
}

/// Writes the results of one item for every test.
void write_item(const Bench& bench, DataSets& data_sets, const std::vector<Test>& tests, const Item& item, const Rounds& rounds) {
    const std::string properties = DataSets::properties_of(bench.options.measure);
    for (const Test test : tests) {
        write_times(bench, record_of(test, "ceiling", item.connectivity, item.volume), "labelling", rounds.ceilings);
        for (const Case& c : rounds.cases) {
            Record record = record_of(test, c.algorithm->name, item.connectivity, item.volume);
            if (!properties.empty()) record.parameters += " " + properties;
            const std::string& data_set = item.volume.data_set;
            if (test == Test::average) write_average(bench, data_sets, data_set, record, c, summary_of(rounds.ceilings).median);
            else if (test == Test::steps) write_steps(bench, data_sets, data_set, record, c);
            else data_sets.write(bench, data_set, record, "labelling", of_runs(c, [](const Run& r) { return r.labelling; }));
        }
    }
}

/// One step per item, and one for the means of data sets. The results are written for every test in `tests`.
std::vector<Step> plan(const Bench& bench, const std::vector<Test>& tests, const std::vector<Item>& items) {
    std::vector<Step> steps;
    const auto data_sets = std::make_shared<DataSets>();
    for (const Item& item : items)
        steps.push_back({item.volume.extent.voxels() * std::int64_t(item.algorithms.size()) * (bench.options.repeat + 1),
                         [&bench, data_sets, tests, item](const Tick& tick) {
                             std::vector<Case> cases;
                             for (const Algorithm* algorithm : item.algorithms)
                                 cases.push_back({.algorithm = algorithm, .measure = bench.options.measure});
                             const Rounds rounds = run_in_turn(bench, item.volume, item.connectivity, std::move(cases), tick);
                             write_item(bench, *data_sets, tests, item, rounds);
                         }});
    if (!items.empty()) steps.push_back({0, [&bench, data_sets](const Tick&) { data_sets->write_means(bench); }});
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
