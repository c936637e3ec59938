// The interface of the module voxcc_lab, which contains the published algorithms and the evaluations of `voxcc bench`.
#pragma once
#include <voxcc/threads.h>
#include "lab/interface/bench_io.h"
#include "lab/interface/options.h"

namespace voxcc {

/// The exported interface of the module. The module has a copy of the library, with its own table of algorithms and its own default
/// instruction set.
struct LabModule {
    /// The published algorithms, for add_algorithms().
    std::span<const Algorithm> (*algorithms)();
    /// Runs bench::run() (lab/evaluations/bench.h) with an instruction set.
    void (*run_bench)(const bench::Options& options, Isa isa, const std::string& version, const std::vector<bench::Volume>& inputs,
                      const bench::Sink& out, const bench::Listener& listener);
};

}  // namespace voxcc
