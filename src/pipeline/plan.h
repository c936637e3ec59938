// What a run will need, before it starts: how much memory, and in how many slabs a volume goes through it.
#pragma once
#include "src/messages/program_error.h"
#include "src/pipeline/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// Bytes of memory for a volume that is labelled in one piece, or for one of its slabs.
struct MemoryBytes {
    std::int64_t bits = 0;  // as block_runs::MemoryNeeds, and so are index, runs_smooth and runs_most
    std::int64_t index = 0;
    std::int64_t held = 0;         // a second copy in memory: --fill-holes, --per-slice x and y; voxels and labels of published algorithms
    std::int64_t streams = 0;      // what is read, painted and compressed at the same time: HDF5 chunks, blocks of the writer, faces
    std::int64_t runs_smooth = 0;  // runs of natural shapes
    std::int64_t runs_most = 0;    // the largest possible number of runs, with their sums
    std::int64_t smooth() const { return bits + index + held + streams + runs_smooth; }
    std::int64_t most() const { return bits + index + held + streams + runs_most; }
};

/// Readers of one volume; mask and intensity may be null.
struct VolumeReaders {
    const io::VolumeReader &image, *mask, *intensity;
};

struct MemoryPlan {
    std::optional<std::int64_t> limit;        // bytes for one volume; nothing where no limit is known
    MemoryBytes bytes;                        // of the volume, or of its thickest slab
    std::int64_t slabs = 1;                   // 1: it is labelled in one piece, by any algorithm
    std::int64_t slices_per_stream_slab = 0;  // the last one may have fewer
    std::int64_t passes = 1;                  // over the image, to label it and to paint; a level that is found in it takes more
    std::string whole_for;                    // why it is not cut into slabs, where it does not fit: "for --fill-holes"
    /// Same as StreamSlabs::slices: the number of slices per slab, or 0 for one piece.
    std::int64_t slices_at_a_time() const { return slabs > 1 ? slices_per_stream_slab : 0; }
    bool fits() const { return !limit || bytes.smooth() <= *limit; }
};

/// In one piece if that fits, else in slabs as thick as fit: as few as can be, of the same number of slices. Where nothing fits, the plan
/// is the one that needs least.
/// @param volumes in flight; they share what --max-memory allows
MemoryPlan plan_memory(const LabelOptions& options, const Choice& choice, const VolumeReaders& readers, int threads, int volumes);

struct VolumePlan {
    nlohmann::ordered_json json;          // with the bytes
    std::optional<ProgramError> refusal;  // out_of_memory, if the volume does not fit
};

/// The plan of one volume. Reads only the headers of its files. @throw Error if they cannot be opened
VolumePlan plan(const LabelOptions& options, const Choice& choice, const VolumeJob& job, int threads, int volumes);

/// @throw Error out_of_memory, with the bytes that are needed and allowed, if the plan does not fit
void require_memory(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info);

}  // namespace voxcc
