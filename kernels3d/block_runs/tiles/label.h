// The tile engine as a labelling of block-runs, for any of its rules.
#pragma once
#include "kernels3d/block_runs/tiles/value_labelling.h"

namespace voxcc::block_runs::tiles {

/// As block_runs::label(), on an executor that is made for it, whose work does not run on `pool`.
/// @throw Error usage for what tiles cannot do: Rule::gradient, 2^32 - 1 voxels or 2^21 tiles (by equal values 2^31 or 2^20)
template <class Executor, class MakeExecutor>
std::unique_ptr<Labelling> label_in_tiles(const Request& request, RowSource& source, ThreadPool& pool, const MakeExecutor& make_executor) {
    const auto refuse = [](const std::string& cause) {
        throw Error(ExitCode::usage, "block-runs", "on a GPU it " + cause, "use --device cpu");
    };
    checked_bytes(request.extent, 8, "volume");
    if (request.rule == Rule::gradient) refuse("does not join voxels by " + std::string(name_of(request.rule)));
    return algorithms::visit_connectivity(reduced(request.connectivity, request.extent), [&]<Connectivity K> {
        const auto label_by = [&]<class Way, Rule R>() -> std::unique_ptr<Labelling> {
            if (const std::string why = why_too_large<K, R>(request.extent); !why.empty()) refuse(why);
            return std::make_unique<Way>(make_executor(), request, source, pool);
        };
        if (request.rule == Rule::equal_values) return label_by.template operator()<ValueLabelling<K, Executor>, Rule::equal_values>();
        return label_by.template operator()<TileLabelling<K, Executor>, Rule::foreground>();
    });
}

}  // namespace voxcc::block_runs::tiles
