// Adds the published algorithms to the registry.
#include "kernels3d/api/algorithm_functions.h"
#include "lab/interface/lab.h"

#include "lab/algorithms/cuda_runs.h"
#include "lab/algorithms/published_part.h"

#include <utility>
#include <vector>

namespace voxcc {
namespace {

/// The rows of all parts, in the order of algorithms::Published.
std::vector<Algorithm> rows_of_all_parts() {
    std::vector<Algorithm> rows;
    [&]<std::size_t... Part>(std::index_sequence<Part...>) {
        (rows.insert(rows.end(), algorithms::published_part<Part>().begin(), algorithms::published_part<Part>().end()), ...);
    }
    (std::make_index_sequence<algorithms::cpu_parts>{});
    const auto on_cuda = exec::cuda_runs();
    for (std::size_t i = 0; i < on_cuda.size(); ++i) rows[i].functions->run_cuda = on_cuda[i];
    return rows;
}

}  // namespace

std::span<const Algorithm> published_algorithms() {
    static const std::vector<Algorithm> rows = rows_of_all_parts();
    return rows;
}

void add_published_algorithms() { add_algorithms(published_algorithms()); }

}  // namespace voxcc
