// The test "properties": the time to compute properties of components, early, late, or late per voxel as in the paper. The test "model":
// the time as a function of the image size.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019: figures 7 and 8, tables III and IV (properties), and
// equation 18, tables VII and VIII (model). Both tests use the six families of images (volumes.h).
#include "kernels3d/api/algorithm_functions.h"
#include "lab/evaluations/numbers.h"
#include "lab/evaluations/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

namespace voxcc::bench {
namespace {

constexpr std::int64_t smallest_edge = 16, default_edge = 8192;
constexpr int model_edges = 7;  // number of edges, from the largest down, each half of the one before

/// The ways of the paper, and our version of late computation.
constexpr std::array measures{Measure::none, Measure::early, Measure::late, Measure::late_per_voxel};

std::string way_of(Measure measure) { return measure == Measure::none ? "ordinary" : std::string(name_of(measure)); }

/// One curve of the tables: an algorithm, a connectivity, and a way to compute properties.
struct Key {
    const Algorithm* algorithm;
    Connectivity connectivity;
    Measure measure;
    auto operator<=>(const Key&) const = default;
};
using Medians = std::map<Key, std::vector<double>>;  // median time in milliseconds per member of a family
struct Measured {
    std::map<std::int64_t, std::map<std::string, Medians>> by_edge;  // [edge][family]
};

Record record_of(Test test, const Key& key, const Volume& volume) {
    Record record = bench::record_of(test, key.algorithm->name, Item{volume, key.connectivity});
    record.parameters += (record.parameters.empty() ? "" : " ") + ("properties=" + way_of(key.measure));
    return record;
}

/// Figures 7 and 8: writes the phases of one member of a family.
void write_member(const Bench& bench, const Record& record, const Case& c) {
    std::map<std::string, std::vector<double>> times;
    for (const Run& run : c.runs) {
        times["labelling"].push_back(run.labelling);
        for (const Phase& phase : run.phases)
            if (const std::string step = step_of(phase.name); step != "allocation" && !step.starts_with("transfer/"))
                times[step].push_back(phase.milliseconds);
    }
    for (const auto& [phase, milliseconds] : times) write_times(bench, record, phase, milliseconds);
    write_value(bench, record, "labelling", "components", double(c.runs.front().components), "1");
    write_value(bench, record, "labelling", "own memory", double(c.runs.front().bytes), "B");
    write_value(bench, record, "measure/properties", "own memory", double(c.runs.front().property_bytes), "B");
}

double median_of(const Case& c) {
    std::vector<double> milliseconds;
    for (const Run& run : c.runs) milliseconds.push_back(run.labelling);
    return summary_of(milliseconds).median;
}

/// One case per way to compute properties, for block-runs and for each algorithm that can compute properties early.
std::vector<Case> cases_of(const Bench& bench, Connectivity connectivity) {
    std::vector<Case> cases;
    for (const Algorithm* algorithm : algorithms_for(bench, connectivity)) {
        if (algorithm->is_published() && !algorithm->functions->computes_early) continue;
        for (const Measure measure : measures)
            if (supports(*algorithm, measure)) cases.push_back({.algorithm = algorithm, .measure = measure});
    }
    return cases;
}

/// Tables III and IV: writes mean and relative deviation per family, and over all families ("all").
void write_families(const Bench& bench, const std::map<std::string, Medians>& families, std::int64_t edge) {
    Medians all;
    const auto write = [&](const std::string& family, const Medians& medians) {
        for (const auto& [key, milliseconds] : medians) {
            const Record record = record_of(Test::properties, key, {family, {}, {edge, edge, 1}, {}});
            const Summary summary = summary_of(milliseconds);
            write_value(bench, record, "labelling", "mean", summary.mean, "ms");
            write_value(bench, record, "labelling", "relative deviation", 100 * summary.deviation / summary.mean, "%");
            write_value(bench, record, "labelling", "images", double(milliseconds.size()), "1");
        }
    };
    for (const auto& [family, medians] : families) {
        write(family, medians);
        for (const auto& [key, milliseconds] : medians) all[key].insert(all[key].end(), milliseconds.begin(), milliseconds.end());
    }
    write("all", all);
}

/// Tables VII and VIII: writes the fitted power laws. x is the number of voxels. The max error is the greatest |f(x) - measured|, in units
/// of the measured standard deviation.
void write_model(const Bench& bench, const Measured& measured) {
    struct Curves {
        std::vector<double> x, mean, deviation;
    };
    std::map<Key, Curves> curves;
    for (const auto& [edge, families] : measured.by_edge) {
        Medians all;
        for (const auto& [family, medians] : families)
            for (const auto& [key, milliseconds] : medians) all[key].insert(all[key].end(), milliseconds.begin(), milliseconds.end());
        for (const auto& [key, milliseconds] : all) {
            const Summary summary = summary_of(milliseconds);
            const Record record = record_of(Test::model, key, {"all", {}, {edge, edge, 1}, {}});
            write_value(bench, record, "labelling", "mean", summary.mean, "ms");
            write_value(bench, record, "labelling", "deviation", summary.deviation, "ms");
            Curves& c = curves[key];
            c.x.push_back(double(edge) * double(edge)), c.mean.push_back(summary.mean), c.deviation.push_back(summary.deviation);
        }
    }
    for (const auto& [key, c] : curves) {
        if (c.x.size() < 3) continue;  // too few sizes fitted into memory
        Record record = record_of(Test::model, key, {"all", {}, {}, {}});
        record.parameters = "properties=" + way_of(key.measure);
        for (const auto& [statistic, y] : {std::pair("mean", &c.mean), {"deviation", &c.deviation}}) {
            const PowerLaw f = fit_power_law(c.x, *y);
            double error = 0;
            for (std::size_t i = 0; i < c.x.size(); ++i)
                error = std::max(error, std::abs(f(c.x[i]) - (*y)[i]) / std::max(c.deviation[i], 1e-9));
            const std::string name = statistic;
            write_value(bench, record, "labelling", "a of " + name, f.a, "ms");
            write_value(bench, record, "labelling", "b of " + name, f.b, "ms");
            write_value(bench, record, "labelling", "c of " + name, f.c, "1");
            write_value(bench, record, "labelling", "rms error of " + name, f.rms, "ms");
            write_value(bench, record, "labelling", "max error of " + name, error, "deviations");
        }
    }
}

std::vector<Connectivity> connectivities_of(const Bench& bench) {
    std::vector<Connectivity> connectivities;
    for (const Connectivity wanted : bench.options.connectivities)
        if (const Connectivity c = reduced(wanted, {2, 2, 1});
            std::find(connectivities.begin(), connectivities.end(), c) == connectivities.end())
            connectivities.push_back(c);
    if (connectivities.empty()) connectivities = {Connectivity::c8};
    return connectivities;
}

}  // namespace

std::vector<Step> plan_properties(const Bench& bench) {
    const bool properties = bench.options.tests.contains(Test::properties), model = bench.options.tests.contains(Test::model);
    if (!properties && !model) return {};
    const std::int64_t largest = std::int64_t(std::bit_floor(std::uint64_t(bench.options.size.value_or(default_edge))));
    const std::int64_t needed = model ? 4 * smallest_edge : smallest_edge;
    if (largest < needed)
        throw Error(ErrorKind::invalid_argument, "--size",
                    "families of images need at least " + std::to_string(needed) + " voxels per edge",
                    "at least " + std::to_string(needed));
    const auto measured = std::make_shared<Measured>();
    std::vector<Step> steps;
    std::int64_t edge = largest;
    for (int i = 0; i < (model ? model_edges : 1) && edge >= smallest_edge; ++i, edge /= 2)
        for (const Volume& volume : families(edge))
            for (const Connectivity connectivity : connectivities_of(bench)) {
                const auto cases = cases_of(bench, connectivity);
                if (cases.empty()) continue;
                const bool writes = properties && edge == largest;
                steps.push_back({edge * edge * std::int64_t(cases.size()) * (bench.options.repeat + 1),
                                 [&bench, measured, volume, connectivity, cases, writes](const Tick& tick) {
                                     const Rounds rounds = run_in_turn(bench, {volume, connectivity}, cases, tick);
                                     for (const Case& c : rounds.cases) {
                                         const Key key{c.algorithm, connectivity, c.measure};
                                         measured->by_edge[volume.extent.nx][volume.name][key].push_back(median_of(c));
                                         if (writes) write_member(bench, record_of(Test::properties, key, volume), c);
                                     }
                                 }});
            }
    if (steps.empty()) return steps;
    steps.push_back({0, [&bench, measured, properties, model, largest](const Tick&) {
                         if (properties) write_families(bench, measured->by_edge[largest], largest);
                         if (model) write_model(bench, *measured);
                     }});
    return steps;
}

}  // namespace voxcc::bench
