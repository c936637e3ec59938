// Labels a volume with the tile engine, for the rules that it supports.
#pragma once
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/value_labelling.h"

namespace voxcc::block_runs::tiles {

/// The labelling class for a rule.
template <Rule R, Connectivity K, class Executor>
using LabellingBy = std::conditional_t<R == Rule::equal_values, ValueLabelling<K, Executor>, TileLabelling<K, Executor>>;

/// @throw Error unsupported_by_device, always
[[noreturn]] inline void refuse(const std::string& cause) {
    throw Error(ErrorKind::unsupported_by_device, "block-runs", "on a GPU it " + cause);
}

/// Calls f.template operator()<K, R>() with the connectivity, reduced to the extent, and the rule of a request. Rule::gradient has the
/// tiles and the arrays of Rule::equal_values, so R is equal_values for it.
/// @throw Error unsupported_by_device for Rule::colour; the exceptions of checked_bytes()
template <class F>
auto visit_request(const Request& request, const F& f) {
    checked_bytes(request.extent, 8, "volume");
    if (request.rule == Rule::colour) refuse("does not join voxels by " + std::string(name_of(request.rule)));
    return visit_connectivity(reduced(request.connectivity, request.extent), [&]<Connectivity K> {
        return request.rule != Rule::foreground ? f.template operator()<K, Rule::equal_values>()
                                                : f.template operator()<K, Rule::foreground>();
    });
}

/// MACRO(c4, ...) to MACRO(c26, ...): one instance per connectivity that visit_request() can choose.
#define VOXCC_PER_CONNECTIVITY(MACRO, ...) \
    MACRO(c4, __VA_ARGS__) MACRO(c8, __VA_ARGS__) MACRO(c6, __VA_ARGS__) MACRO(c18, __VA_ARGS__) MACRO(c26, __VA_ARGS__)

/// Same as block_runs::label(), in one piece on one executor.
/// @param make_executor called once; the executor must not run work on `pool`
/// @throw Error unsupported_by_device for Rule::colour, and for more than 2^32 - 2 voxels, 2^21 - 1 tiles or 2^27 - 1 rows of tiles. For
///     rules that compare values the limits are 2^31 - 1, 2^20 - 1 and 2^26 - 1
template <class Executor, class MakeExecutor>
std::unique_ptr<Labelling> label_in_tiles(const Request& request, RowSource& source, ThreadPool& pool, const MakeExecutor& make_executor) {
    return visit_request(request, [&]<Connectivity K, Rule R>() -> std::unique_ptr<Labelling> {
        if (const std::string why = why_too_large<K, R>(request.extent); !why.empty()) refuse(why);
        Request r = request;
        r.connectivity = K;
        return label_periodic(r, source, pool, [&](const Request& plain, RowSource& rows) -> std::unique_ptr<Labelling> {
            return std::make_unique<LabellingBy<R, K, Executor>>(make_executor(), plain, rows, pool);
        });
    });
}

}  // namespace voxcc::block_runs::tiles
