// The tile engine on voxels that are already in the memory of the executor, as for the published algorithms. The bench uses it to measure
// all algorithms alike. Labels and sums stay in the memory of the executor.
#pragma once
#include "kernels3d/engine/tiles/tile_engine.h"
#include "kernels3d/on_voxels/properties.h"

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
        const auto label = [&] { visit_nonzero(problem.size, problem.voxels, [&](const auto& source) { engine.label(source); }); };
        if (problem.measure != algorithms::Measure::late) {
            label();
            engine.paint({0, extent.rows()}, nullptr, problem.labels);
            result.components = engine.count();
        } else {  // the number of components arrives while labels are painted, so the sums follow without a wait
            const exec::Array<uint32_t> count(executor.staging(), 1);
            engine.set_count_place(count.data());
            label();
            executor.mark();
            auto sums = engine.paint_and_measure(problem.labels);
            executor.wait_for_mark();
            result.components = *count.data();
            result.rows = engine.finish_sums(std::move(sums), result.components);
        }
    });
    return result;
}

}  // namespace voxcc::block_runs::tiles
