// Entry point of the block-run engine: checks a request and chooses the instantiation for its rule, connectivity and width of run ids.
#include <voxcc/error.h>
#include <voxcc/label.h>

#include "kernels3d/base/check_axes.h"
#include "kernels3d/engine/memory.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"

#include <string>

namespace voxcc::block_runs {

// Defined in cpu/label_bits.h, cpu/label_values.h and cpu/label_gradient.h, which other source files instantiate.
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_bits(const Request& request, RowSource& source, ThreadPool& pool);
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_values(const Request& request, RowSource& source, ThreadPool& pool);
template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_gradient(const Request& request, RowSource& source, ThreadPool& pool);

namespace {

template <Connectivity K, class Id>
std::unique_ptr<Labelling> label_by_rule(const Request& request, RowSource& source, ThreadPool& pool) {
    if (request.rule == Rule::gradient) return label_gradient<K, Id>(request, source, pool);
    if (request.rule == Rule::equal_values) return label_values<K, Id>(request, source, pool);
    return label_bits<K, Id>(request, source, pool);
}

template <class Id>
std::unique_ptr<Labelling> label_with(const Request& request, RowSource& source, ThreadPool& pool) {
    switch (request.connectivity) {
        case Connectivity::c4: return label_by_rule<Connectivity::c4, Id>(request, source, pool);
        case Connectivity::c8: return label_by_rule<Connectivity::c8, Id>(request, source, pool);
        case Connectivity::c6: return label_by_rule<Connectivity::c6, Id>(request, source, pool);
        case Connectivity::c18: return label_by_rule<Connectivity::c18, Id>(request, source, pool);
        case Connectivity::c26: return label_by_rule<Connectivity::c26, Id>(request, source, pool);
    }
    throw Error(ErrorKind::internal, "connectivity", "unknown value");
}

}  // namespace

std::unique_ptr<Labelling> label(const Request& request, RowSource& source, ThreadPool& pool) {
    checked_bytes(request.extent, 8, "volume");
    check_axes(request.extent, "volume");
    if (request.rule == Rule::colour)
        throw Error(ErrorKind::unsupported_by_algorithm, "block-runs", "does not join voxels by " + std::string(name_of(request.rule)));
    Request r = request;
    r.connectivity = reduced(request.connectivity, request.extent);
    return label_periodic(r, source, pool, [&](const Request& plain, RowSource& rows) {
        return ids_fit_32_bits(plain) ? label_with<std::uint32_t>(plain, rows, pool) : label_with<std::uint64_t>(plain, rows, pool);
    });
}

}  // namespace voxcc::block_runs
