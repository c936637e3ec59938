// The steps of a bench. Each step measures on one volume, or evaluates the measurements of earlier steps.
#pragma once
#include "lab/evaluations/machine.h"
#include "lab/evaluations/volumes.h"
#include "lab/interface/options.h"

namespace voxcc::bench {

/// Must be called with the number of voxels that have been processed since the last call. Used for progress.
using Tick = std::function<void(std::int64_t)>;

struct Step {
    std::int64_t work = 0;  // voxels to process, summed over all runs
    std::function<void(const Tick&)> run;
};

/// The data that all steps share.
struct Bench {
    const Options& options;
    const std::vector<Volume>& inputs;  // volumes from files, in place of named volumes
    Machine& machine;
    Recorder& recorder;
    std::function<void(const std::string&)> note;  // receives messages about omitted measurements
};

/// A volume, a connectivity and a criterion, with the algorithms that support both and run on the machine.
struct Item {
    Volume volume;
    Connectivity connectivity;
    Criterion criterion = {};
    std::vector<const Algorithm*> algorithms = {};
};

/// The requested algorithms that support the connectivity, the rule and the way of relabelling, and run on the machine. With another rule
/// than Rule::foreground, block-runs is left out.
std::vector<const Algorithm*> algorithms_for(const Bench& bench, Connectivity connectivity, Rule rule = Rule::foreground);

Sampling sampling_of(const Options& options);

/// Default edges of a test's cubes and square images, in voxels. Options can override them.
struct Edges {
    std::int64_t volume, image;
};
/// The volumes of a test with their connectivities and algorithms.
/// @param set makes the volumes for an extent; used if neither inputs nor volume names are given
/// @return only items with at least one algorithm
/// @throw Error invalid_argument if no requested criterion suits a volume; in an experiment, the volume is left out with a note
std::vector<Item> items_of(const Bench& bench, Edges edges, const std::function<std::vector<Volume>(const Extent&)>& set);

/// An algorithm with one way to compute properties, and its runs.
struct Case {
    const Algorithm* algorithm;
    Measure measure = Measure::none;
    std::vector<Run> runs = {};
    double seconds = 0;  // time of all runs so far, with the warm-up run
};
struct Rounds {
    std::vector<Case> cases;       // with their runs
    std::vector<double> ceilings;  // milliseconds, one value per round
};
/// Runs all cases and the ceiling in turn: one warm-up round, then options.repeat timed rounds. Runs are interleaved, so background load
/// affects all candidates equally. A case is skipped once it has taken more than options.patience seconds. If its warm-up run takes that
/// long, this run is used as its result. A case that runs out of memory is omitted with a note.
Rounds run_in_turn(const Bench& bench, const Item& item, std::vector<Case> cases, const Tick& tick);

/// A record with the fields that depend on test, algorithm and item; the other fields stay empty.
Record record_of(Test test, std::string_view algorithm, const Item& item);
/// Writes three rows: median, minimum and maximum.
void write_times(const Bench& bench, Record record, const std::string& phase, std::span<const double> milliseconds);
/// Writes one row.
void write_value(const Bench& bench, Record record, const std::string& phase, const std::string& statistic, double value,
                 const std::string& unit);

/// The name of a phase in the table: the common name of this kind of phase, then the algorithm's own name if it differs.
// "scan"  ->  "merge/scan",   "merge"  ->  "merge"
std::string step_of(const std::string& phase);

// The steps of each test, implemented in times.cpp, memory.cpp and properties.cpp.
std::vector<Step> plan_times(const Bench& bench);       // average, steps, density, granularity
std::vector<Step> plan_memory(const Bench& bench);      // memory
std::vector<Step> plan_properties(const Bench& bench);  // properties, model

}  // namespace voxcc::bench
