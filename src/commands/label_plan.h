// What a run of `voxcc label` will do: its inputs at the same time, its voxels, and the output of --dry-run.
#pragma once
#include "src/options/options.h"

namespace voxcc {

/// The number of voxels of all volumes, from their headers. Leaves out inputs that cannot be opened; the run reports them.
std::int64_t voxels_of(const LabelOptions& options);

/// What is processed at the same time.
// --jobs 4, 2 inputs of 10 volumes  ->  {2, 2}
struct Concurrency {
    int inputs = 1, volumes_per_input = 1;
    int volumes() const { return inputs * volumes_per_input; }
};
Concurrency concurrency(const LabelOptions& options);

/// Prints the plan of the run and its memory as JSON. @return the exit code. @throw Error out_of_memory if a volume does not fit
int print_plan(const LabelOptions& options);

}  // namespace voxcc
