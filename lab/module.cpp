// The only exported symbol of the module voxcc_lab; src/laboratory/laboratory.cpp looks it up.
#include "lab/interface/module.h"

#include "lab/evaluations/bench.h"
#include "lab/interface/lab.h"

namespace voxcc {
namespace {

void run_bench(const bench::Options& options, Isa isa, const std::string& version, const std::vector<bench::Volume>& inputs,
               const bench::Sink& out, const bench::Listener& listener) {
    set_default_isa(isa);
    add_published_algorithms();
    bench::Options of_module = options;
    for (const Algorithm*& algorithm : of_module.algorithms) algorithm = find_algorithm(algorithm->name);
    bench::run(of_module, version, inputs, out, listener);
}

}  // namespace
}  // namespace voxcc

extern "C" [[gnu::visibility("default")]] const voxcc::LabModule voxcc_lab{voxcc::published_algorithms, voxcc::run_bench};
