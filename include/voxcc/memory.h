// The host memory that a labelling needs, computed from the request before any voxel is read.
//
// All figures are bytes. They count what the library holds, and do not count what the row source and the caller hold.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/labelling.h>

namespace voxcc::block_runs {

/// How a request is processed, as far as the memory depends on it.
struct MemoryConditions {
    int threads = 1;                                           // ThreadPool::size()
    RowSource::Access access = RowSource::Access::concurrent;  // of the row source
    ScalarType label_type = ScalarType::u32;                   // widest type that is passed to Labelling::prepare_paint()
    std::int64_t slices_per_stream_slab = 0;                   // as in label_streamed(); 0: label() in one piece
};

/// Bytes that a labelling holds at the same time, by purpose.
struct MemoryNeeds {
    std::int64_t bits = 0;         // block-runs: the foreground, one bit per voxel
    std::int64_t index = 0;        // block-runs: run starts, and the run before each word
    std::int64_t voxels = 0;       // published algorithms: a byte and a label per voxel, and its value if the rule compares values
    std::int64_t faces = 0;        // streaming: labels of the slices on both sides of a cut. Periodic axes: labels at their ends
    std::int64_t runs_smooth = 0;  // runs of natural shapes: one run per 64 columns, rounded up to memory pages
    std::int64_t runs_most = 0;    // the largest possible number of runs, with the sums of their components
    bool operator==(const MemoryNeeds&) const = default;
};

/// What a labelling of the request needs.
/// @param algorithm the algorithm that labels
// block-runs, extent {64, 2, 2}, connectivity 26, 1 thread, u32  ->  bits 32, index 12, runs_smooth 384, runs_most 1408
MemoryNeeds memory_bytes(const Algorithm& algorithm, const Request& request, const MemoryConditions& conditions);

/// Slices of a layer of block-rows. The thickness of a slab should be a multiple, so that no slab ends with half a layer.
std::int64_t slices_per_layer(const Request& request);

/// Upper bound of the rows that the engine passes to RowSource::fetch() in one call.
/// @param rows_per_fetch result of RowSource::rows_per_fetch()
std::int64_t most_rows_fetched(const Request& request, const MemoryConditions& conditions, std::int64_t rows_per_fetch);

}  // namespace voxcc::block_runs
