// Repeats the evaluations of the source papers on any machine; see docs/develop/bench.md.
#pragma once
#include "lab/interface/bench_io.h"
#include "lab/interface/options.h"

namespace voxcc::bench {

/// Runs all tests that the options name, or the experiments of a paper (experiments.h).
/// @param version version of the program, for the table
/// @param inputs volumes in place of named volumes; only for the tests average, steps and memory, and for experiments that read files
/// @param out receives the table as CSV, or the list of experiments
/// @throw Error invalid_argument if there is nothing to measure; no_device; errors of algorithms, but not out_of_memory. An algorithm that
/// runs out of memory is omitted with a note
void run(const Options& options, const std::string& version, const std::vector<Volume>& inputs, const Sink& out, const Listener& listener);

}  // namespace voxcc::bench
