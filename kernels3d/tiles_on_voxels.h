// The tile engine on voxels that are already in the memory of the executor, as for the published algorithms. The bench uses it to measure
// all algorithms alike. Labels and sums stay in the memory of the executor.
#pragma once
#include "kernels3d/algorithms/properties.h"
#include "kernels3d/block_runs/tiles/tile_engine.h"

namespace voxcc::block_runs::tiles {

/// Labels and, on request, measures the volume of a problem.
/// @throw Error unsupported_by_device if the volume has more than 2^32 - 2 voxels or 2^21 - 1 tiles
template <class Executor>
algorithms::Result run(Executor& executor, const algorithms::Problem& problem) {
    const Extent extent{problem.size.x, problem.size.y, problem.size.z};
    algorithms::Result result;
    result.memory = std::make_unique<exec::MemoryPart>(executor.memory());
    visit_connectivity(problem.connectivity, [&]<Connectivity K> {
        if (const std::string why = why_too_large<K>(extent); !why.empty())
            throw Error(ErrorKind::unsupported_by_device, "block-runs", "in tiles it " + why);
        Engine<K, Executor> engine(executor, extent);
        visit_nonzero(problem.size, problem.voxels, [&](const auto& source) { engine.label(source); });
        engine.paint({0, extent.rows()}, nullptr, problem.labels);
        result.components = engine.count();
        if (problem.measure == algorithms::Measure::late) result.rows = engine.measure();
    });
    return result;
}

}  // namespace voxcc::block_runs::tiles
