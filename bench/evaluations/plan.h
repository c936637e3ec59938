// What a bench consists of: steps, each of which measures on one volume, or evaluates what others have measured.
#pragma once
#include "bench/evaluations/machine.h"
#include "bench/evaluations/options.h"
#include "bench/evaluations/volumes.h"

namespace voxcc::bench {

/// Called with the number of voxels that have been dealt with since the last call.
using Tick = std::function<void(std::int64_t)>;

struct Step {
    std::int64_t work = 0;  // voxels to deal with; each run counts
    std::function<void(const Tick&)> run;
};

/// What all steps share.
struct Bench {
    const Options& options;
    const std::vector<Volume>& inputs;  // of files; instead of named volumes
    Machine& machine;
    Recorder& recorder;
    std::function<void(const std::string&)> note;  // of what is left out
};

/// A volume and how its voxels are connected, with the rows that can do that on the machine.
struct Item {
    Volume volume;
    Connectivity connectivity;
    std::vector<const AlgorithmRow*> rows;
};

/// The rows asked for that know the connectivity and run on the machine.
std::vector<const AlgorithmRow*> rows_for(const Bench& bench, Connectivity connectivity);

/// Extents of a test's cubes and images unless the options say others.
struct Edges {
    std::int64_t volume, image;
};
/// @param set makes the volumes of an extent where neither inputs nor names are given
/// @return those with at least one row
std::vector<Item> items_of(const Bench& bench, Edges edges, const std::function<std::vector<Volume>(const Extent&)>& set);

/// Runs of some rows, one with each way to compute properties.
struct Case {
    const AlgorithmRow* row;
    algorithms::Measure measure = algorithms::Measure::none;
    std::vector<Run> runs = {};
    double seconds = 0;  // spent on it so far
};
struct Rounds {
    std::vector<Case> cases;       // with their runs
    std::vector<double> ceilings;  // milliseconds, a round each
};
/// Calls all cases and the ceiling in turn, options.repeat times after a call of each that is not counted, so that whatever else the
/// machine does meets all of them. A case that has lost patience is not called again; if the call that is not counted was that long, it
/// counts. A case that memory is too small for is noted and left out.
Rounds run_in_turn(const Bench& bench, const Volume& volume, Connectivity connectivity, std::vector<Case> cases, const Tick& tick);

/// The fields of a record that follow from what was run.
Record record_of(Test test, std::string_view algorithm, Connectivity connectivity, const Volume& volume);
/// Median, least and greatest.
void write_times(const Bench& bench, Record record, const std::string& phase, std::span<const double> milliseconds);

/// A part of labelling that algorithms have in common, and the algorithm's own name for it where that is another: "merge/scan".
std::string step_of(const std::string& phase);

// The steps of each test, in the file of that name.
std::vector<Step> plan_times(const Bench& bench);       // average, steps, density, granularity
std::vector<Step> plan_memory(const Bench& bench);      // memory
std::vector<Step> plan_properties(const Bench& bench);  // properties, model

}  // namespace voxcc::bench
