// Computes, before a run, the memory that a volume needs and the number of stream slabs.
#pragma once
#include "src/errors/program_error.h"
#include "src/pipeline/pipeline.h"

#include <algorithm>

namespace voxcc {

/// Bytes of memory for a volume that is labelled in one piece, or for one of its slabs.
struct MemoryBytes {
    // bits, index, runs_smooth and runs_most: see MemoryNeeds.
    std::int64_t bits = 0;
    std::int64_t index = 0;
    /// A second copy in memory (--fill-holes, --per-slice x and y), and the voxels and labels of published algorithms.
    std::int64_t held = 0;
    std::int64_t streams = 0;      // buffers for reading, painting and compression: HDF5 chunks, blocks of the writer, faces
    std::int64_t runs_smooth = 0;  // runs of smooth shapes
    std::int64_t runs_most = 0;    // the largest possible number of runs, with their sums
    std::int64_t smooth() const { return bits + index + held + streams + runs_smooth; }
    std::int64_t most() const { return bits + index + held + streams + runs_most; }
};

/// Readers of one volume; mask and preview_image may be null.
struct VolumeReaders {
    const io::VolumeReader &image, *mask;
    std::vector<const io::VolumeReader*> intensities;
    const io::VolumeReader* preview_image = nullptr;
    /// The image under the outlines of a preview; null if the preview shows projections.
    const io::VolumeReader* background() const { return preview_image || intensities.empty() ? preview_image : intensities.front(); }
    /// Calls f(reader) for each reader.
    template <class F>
    void for_each(const F& f) const {
        f(image);
        if (mask) f(*mask);
        for (const io::VolumeReader* reader : intensities) f(*reader);
        if (preview_image) f(*preview_image);
    }
};

struct MemoryPlan {
    std::optional<std::int64_t> limit;        // bytes for one volume; empty: unlimited
    MemoryBytes bytes;                        // of the volume, or of its thickest stream slab
    std::int64_t slabs = 1;                   // 1: the volume is labelled in one piece
    std::int64_t slices_per_stream_slab = 0;  // the last slab may have fewer
    std::int64_t passes = 1;                  // over the image, to label, to paint and for a preview; a computed threshold takes more
    int reading_threads = 1;                  // that decompress each input; see io::VolumeReader::use_threads()
    std::string one_piece_for;  // why a volume that does not fit is not cut into slabs: "for --per-slice x with --shape"; else empty
    /// Same as Execution::slices_per_slab: the number of slices per slab, or 0 for one piece.
    std::int64_t slices_at_a_time() const { return slabs > 1 ? slices_per_stream_slab : 0; }
    bool fits() const { return !limit || bytes.smooth() <= *limit; }
    /// Bytes for the runs and components, whose number is known only while the volume is labelled; empty: unlimited. The plan must fit.
    std::optional<std::int64_t> for_shapes() const {
        constexpr std::int64_t least = 4 << 20;  // `streams` is an upper bound and leaves at least this much unused
        if (!limit) return std::nullopt;
        return std::max(least, *limit - (bytes.smooth() - bytes.runs_smooth));
    }
};

/// Plans one piece if it fits into the limit. Otherwise plans the smallest number of stream slabs that fit, of equal thickness. If no plan
/// fits, the result is the plan that needs the least memory. Inputs are decompressed on as many threads as fit into the memory that is
/// left.
/// @param volumes number of volumes that are processed at the same time; they share the limit
MemoryPlan plan_memory(const LabelOptions& options, const Choice& choice, const VolumeReaders& readers, int threads, int volumes);

/// A plan with slabs of at most half the slices, for a volume whose shapes need more memory than `plan` expects. The other arguments must
/// be the arguments of plan_memory().
/// @return nullopt if the volume must be labelled in one piece, or if the slabs are as thin as possible
std::optional<MemoryPlan> thinner_slabs(const MemoryPlan& plan, const LabelOptions& options, const Choice& choice,
                                        const VolumeReaders& readers, int threads);

/// The error out_of_memory, with the bytes that are needed and allowed; empty if the plan fits.
std::optional<ProgramError> refusal_of(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info);
/// @throw Error refusal_of()
void require_memory(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info);

/// The error for a volume whose runs and components need more memory than the plan allows.
ProgramError too_many_components(const MemoryPlan& plan, const LabelOptions& options, const io::VolumeInfo& info);

}  // namespace voxcc
