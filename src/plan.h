// What a run will need, before it starts.
#pragma once
#include "src/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// Bytes of memory for one volume.
struct MemoryPlan {
    std::int64_t bits = 0;         // the volume's foreground
    std::int64_t index = 0;        // run starts, and the run before each word
    std::int64_t held = 0;         // a second copy in memory: --fill-holes, --per-slice x and y; voxels and labels of published algorithms
    std::int64_t streams = 0;      // slabs being read, painted and compressed
    std::int64_t runs_smooth = 0;  // runs and sums of a volume of natural shapes: a run every 64 columns
    std::int64_t runs_most = 0;    // and of the worst there can be
    std::int64_t smooth() const { return bits + index + held + streams + runs_smooth; }
    std::int64_t most() const { return bits + index + held + streams + runs_most; }
};

MemoryPlan plan_memory(const LabelOptions& options, const AlgorithmRow& row, const io::VolumeInfo& info, int threads);

/// Opens the headers of a job. @return the plan as JSON, with its bytes
nlohmann::ordered_json plan(const LabelOptions& options, const AlgorithmRow& row, const VolumeJob& job, int threads);

/// @throw Error out_of_memory with both numbers if even a smooth volume needs more than --max-memory
void check_memory(const LabelOptions& options, const AlgorithmRow& row, const io::VolumeInfo& info, int threads);

}  // namespace voxcc
