// The evaluations of the source papers, repeatable on any machine: docs/bench.md.
#pragma once
#include "bench/evaluations/options.h"
#include "bench/evaluations/records.h"
#include "bench/evaluations/volumes.h"

namespace voxcc::bench {

/// Whom a bench tells how it goes.
struct Listener {
    std::function<void(std::int64_t done, std::int64_t total)> progress;
    std::function<void(const std::string&)> note;
};

/// @param version of the program, for the table
/// @param inputs volumes instead of named ones; for average, steps and memory only
/// @param out receives the table as CSV
/// @throw Error usage where there is nothing to measure; no_device; what algorithms throw, but for those that run out of memory
void run(const Options& options, const std::string& version, const std::vector<Volume>& inputs, const Sink& out, const Listener& listener);

}  // namespace voxcc::bench
