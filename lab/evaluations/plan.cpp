// Chooses volumes and algorithms for the tests, runs them in turn, and writes times.
#include "lab/evaluations/plan.h"
#include "kernels3d/api/algorithm_functions.h"

#include <voxcc/threads.h>
#include "lab/evaluations/numbers.h"

#include <algorithm>
#include <array>
#include <new>
#include <set>
#include <tuple>

namespace voxcc::bench {
namespace {

bool within_slices(Connectivity c) { return c == Connectivity::c4 || c == Connectivity::c8; }

/// The volumes for a connectivity: inputs, or named volumes, or the set of the test. Connectivities 4 and 8 get images.
std::vector<Volume> volumes_for(const Bench& bench, Connectivity connectivity, Edges edges,
                                const std::function<std::vector<Volume>(const Extent&)>& set) {
    const Options& options = bench.options;
    if (!bench.inputs.empty()) return bench.inputs;
    Extent extent{edges.volume, edges.volume, edges.volume};
    if (within_slices(connectivity)) extent = {edges.image, edges.image, 1};
    if (options.size) extent = {*options.size, *options.size, within_slices(connectivity) ? 1 : *options.size};
    if (options.shape) extent = *options.shape;
    if (options.volumes.empty()) return set(extent);
    std::vector<Volume> volumes;
    for (const std::string& name : options.volumes) {
        try {
            for (Volume& volume : named_volumes(name, extent, sampling_of(options))) volumes.push_back(std::move(volume));
        } catch (const Error& error) {  // an experiment with a small --size
            if (options.experiment.empty()) throw;
            bench.note(name + " is left out: " + error.cause());
        }
    }
    return volumes;
}

/// Whether an algorithm finishes a volume in acceptable time. Used only if no algorithms are named: an algorithm that walks along paths
/// would take days on a long path.
bool ends(const Algorithm& algorithm, const Volume& volume) {
    return volume.form != Volume::Form::path || !algorithm.functions->walks_paths;
}

/// Whether the values of a volume can be compared in this way. Colours are not ordered, and have no meaning as plain foreground.
bool suits(const Criterion& criterion, const Volume& volume) {
    switch (criterion.rule) {
        case Rule::equal_values: return true;
        case Rule::colour: return volume.channels > 1;
        default: return volume.channels == 1;
    }
}

/// The requested criteria that suit the volume.
std::vector<Criterion> criteria_for(const Bench& bench, const Volume& volume) {
    std::vector<Criterion> criteria = bench.options.criteria;
    std::erase_if(criteria, [&](const Criterion& criterion) { return !suits(criterion, volume); });
    if (!criteria.empty()) return criteria;
    const std::string cause = volume.channels > 1 ? "a colour image needs --criterion equal or colour:T"
                                                  : "an image with one value per voxel needs --criterion foreground, equal or difference:T";
    if (bench.options.experiment.empty()) throw Error(ErrorKind::invalid_argument, volume.name, cause);
    bench.note(volume.name + " is left out: " + cause);
    return criteria;
}

/// The volume in memory, with values if the criterion compares values.
Input input_of(const Item& item) {
    const Volume& volume = item.volume;
    Input input{volume.extent, item.connectivity, volume.voxels()};
    const auto [rule, most] = item.criterion;
    if (rule == Rule::foreground) return input;
    if (volume.values) input.values = compare_values(rule, most, volume.value_type, volume.values());
    else input.values = compare_values(rule, most, ScalarType::u8, std::as_bytes(std::span(input.voxels)));
    return input;
}

}  // namespace

std::vector<const Algorithm*> algorithms_for(const Bench& bench, Connectivity connectivity, Rule rule) {
    std::vector<const Algorithm*> wanted = bench.options.algorithms;
    if (wanted.empty())
        for (const Algorithm& algorithm : all_algorithms()) wanted.push_back(&algorithm);
    std::erase_if(wanted, [&](const Algorithm* algorithm) {
        const bool compares = supports(*algorithm, rule) && (rule == Rule::foreground || algorithm->is_published());
        return !compares || !supports(*algorithm, connectivity) || !supports(*algorithm, bench.options.relabel) ||
               !bench.machine.runs(*algorithm);
    });
    return wanted;
}

Sampling sampling_of(const Options& options) { return {options.density_step, options.images}; }

std::vector<Item> items_of(const Bench& bench, Edges edges, const std::function<std::vector<Volume>(const Extent&)>& set) {
    std::vector<Connectivity> wanted = bench.options.connectivities;
    if (wanted.empty()) wanted = {Connectivity::c26};
    std::vector<Item> items;
    std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, int, std::string>> seen;
    for (const Connectivity connectivity : wanted)
        for (const Volume& volume : volumes_for(bench, connectivity, edges, set))
            for (const Criterion& criterion : criteria_for(bench, volume)) {
                Item item{volume, reduced(connectivity, volume.extent), criterion};
                item.algorithms = algorithms_for(bench, item.connectivity, criterion.rule);
                if (bench.options.algorithms.empty())
                    std::erase_if(item.algorithms, [&](const Algorithm* algorithm) { return !ends(*algorithm, volume); });
                const Extent& e = volume.extent;
                const int number = number_of(item.connectivity);  // in an image, 6 is reduced to 4
                const bool is_new = seen.insert({volume.name, volume.parameters, e.nx, e.ny, e.nz, number, name_of(criterion)}).second;
                if (!item.algorithms.empty() && is_new) items.push_back(std::move(item));
            }
    return items;
}

Rounds run_in_turn(const Bench& bench, const Item& item, std::vector<Case> cases, const Tick& tick) {
    const Volume& volume = item.volume;
    const Input input = input_of(item);
    std::vector<double> ceilings;
    const std::size_t all = cases.size();
    const auto leave_out = [&](auto& c, const std::string& why) {
        bench.note(std::string(c->algorithm->name) + " on " + volume.name + " is left out: " + why);
        c = cases.erase(c);
    };
    for (int round = -1; round < bench.options.repeat; ++round) {
        const double ceiling = bench.machine.ceiling(input.voxels);
        if (round >= 0) ceilings.push_back(ceiling);
        tick(volume.extent.voxels() * std::int64_t(all - cases.size()));
        for (auto c = cases.begin(); c != cases.end();) {
            try {
                if (c->seconds <= bench.options.patience) {
                    Stopwatch watch;
                    Run run = bench.machine.run(*c->algorithm, input, c->measure);
                    c->seconds += watch.lap();
                    if (round >= 0 || c->seconds > bench.options.patience) c->runs.push_back(std::move(run));
                }
                ++c;
            } catch (const Error& error) {
                const ErrorKind kind = error.kind();
                if (kind != ErrorKind::out_of_memory && kind != ErrorKind::device_memory && kind != ErrorKind::process_limit) throw;
                leave_out(c, error.what());
            } catch (const std::bad_alloc&) {
                leave_out(c, "out of memory");
            }
            tick(volume.extent.voxels());
        }
    }
    return {std::move(cases), std::move(ceilings)};
}

Record record_of(Test test, std::string_view algorithm, const Item& item) {
    const Extent& e = item.volume.extent;
    std::string parameters = "shape=" + std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz);
    if (!item.volume.parameters.empty()) parameters += " " + item.volume.parameters;
    if (item.criterion.rule != Rule::foreground) parameters += " criterion=" + name_of(item.criterion);
    return {.test = std::string(name_of(test)),
            .algorithm = std::string(algorithm),
            .connectivity = number_of(item.connectivity),
            .volume = item.volume.name,
            .parameters = std::move(parameters),
            .phase = {},
            .statistic = {},
            .value = 0,
            .unit = {}};
}

void write_times(const Bench& bench, Record record, const std::string& phase, std::span<const double> milliseconds) {
    const Summary summary = summary_of(milliseconds);
    record.phase = phase;
    record.unit = "ms";
    for (const auto& [statistic, value] : {std::pair("median", summary.median), {"min", summary.min}, {"max", summary.max}}) {
        record.statistic = statistic, record.value = value;
        bench.recorder.write(record);
    }
}

void write_value(const Bench& bench, Record record, const std::string& phase, const std::string& statistic, double value,
                 const std::string& unit) {
    record.phase = phase, record.statistic = statistic, record.value = value, record.unit = unit;
    bench.recorder.write(record);
}

std::string step_of(const std::string& phase) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 24> steps{
        {{"pack", "init"},         {"prelabel", "init"},     {"prepare", "init"},
         {"links", "init"},        {"lines", "local"},       {"local merge", "local"},
         {"strips", "local"},      {"borders", "merge"},     {"first scan", "merge"},
         {"merge x", "merge"},     {"merge y", "merge"},     {"merge z", "merge"},
         {"propagate", "merge"},   {"scan", "merge"},        {"unite", "merge"},
         {"analysis", "compress"}, {"copy", "compress"},     {"path compression", "compress"},
         {"relabel", "compress"},  {"update", "compress"},   {"properties", "measure"},
         {"upload", "transfer"},   {"download", "transfer"}, {"max-gather", "merge"}}};
    if (phase.starts_with("global merge")) return "merge/" + phase;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.first == phase; });
    return found == steps.end() ? phase : std::string(found->second) + "/" + phase;
}

}  // namespace voxcc::bench
