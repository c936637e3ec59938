// Chooses volumes and algorithms for the tests, runs them in turn, and writes times.
#include "bench/evaluations/plan.h"

#include <voxcc/clock.h>
#include "bench/evaluations/numbers.h"

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
bool ends(const Algorithm& algorithm, const Volume& volume) { return volume.form != Volume::Form::path || !algorithm.walks_paths; }

}  // namespace

std::vector<const Algorithm*> algorithms_for(const Bench& bench, Connectivity connectivity) {
    std::vector<const Algorithm*> wanted = bench.options.algorithms;
    if (wanted.empty())
        for (const Algorithm& algorithm : all_algorithms()) wanted.push_back(&algorithm);
    std::erase_if(wanted, [&](const Algorithm* algorithm) {
        return !supports(*algorithm, connectivity) || !supports(*algorithm, bench.options.relabel) || !bench.machine.runs(*algorithm);
    });
    return wanted;
}

Sampling sampling_of(const Options& options) { return {options.density_step, options.images}; }

std::vector<Item> items_of(const Bench& bench, Edges edges, const std::function<std::vector<Volume>(const Extent&)>& set) {
    std::vector<Connectivity> wanted = bench.options.connectivities;
    if (wanted.empty()) wanted = {Connectivity::c26};
    std::vector<Item> items;
    std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, int>> seen;  // in an image, 6 is reduced to 4
    for (const Connectivity connectivity : wanted)
        for (Volume& volume : volumes_for(bench, connectivity, edges, set)) {
            Item item{std::move(volume), Connectivity::c26, {}};
            item.connectivity = reduced(connectivity, item.volume.extent);
            item.algorithms = algorithms_for(bench, item.connectivity);
            if (bench.options.algorithms.empty())
                std::erase_if(item.algorithms, [&](const Algorithm* algorithm) { return !ends(*algorithm, item.volume); });
            const Extent& e = item.volume.extent;
            const bool is_new =
                seen.insert({item.volume.name, item.volume.parameters, e.nx, e.ny, e.nz, number_of(item.connectivity)}).second;
            if (!item.algorithms.empty() && is_new) items.push_back(std::move(item));
        }
    return items;
}

Rounds run_in_turn(const Bench& bench, const Volume& volume, Connectivity connectivity, std::vector<Case> cases, const Tick& tick) {
    const std::vector<std::uint8_t> voxels = volume.voxels();
    std::vector<double> ceilings;
    const std::size_t all = cases.size();
    const auto leave_out = [&](auto& c, const std::string& why) {
        bench.note(std::string(c->algorithm->name) + " on " + volume.name + " is left out: " + why);
        c = cases.erase(c);
    };
    for (int round = -1; round < bench.options.repeat; ++round) {
        const double ceiling = bench.machine.ceiling(voxels);
        if (round >= 0) ceilings.push_back(ceiling);
        tick(volume.extent.voxels() * std::int64_t(all - cases.size()));
        for (auto c = cases.begin(); c != cases.end();) {
            try {
                if (c->seconds <= bench.options.patience) {
                    Stopwatch watch;
                    Run run = bench.machine.run(*c->algorithm, volume.extent, connectivity, voxels, c->measure);
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

Record record_of(Test test, std::string_view algorithm, Connectivity connectivity, const Volume& volume) {
    const Extent& e = volume.extent;
    const std::string shape = "shape=" + std::to_string(e.nx) + "x" + std::to_string(e.ny) + "x" + std::to_string(e.nz);
    return {.test = std::string(name_of(test)),
            .algorithm = std::string(algorithm),
            .connectivity = number_of(connectivity),
            .volume = volume.name,
            .parameters = shape + (volume.parameters.empty() ? "" : " " + volume.parameters),
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
