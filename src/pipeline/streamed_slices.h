// Labels slices across x or y of a volume that is not held in memory. The file is read in slabs along z, so each slab has a strip of every
// slice.
//
//   first pass   the strips of each slab on their own: numbers, sums, contacts with the strips of the slab before
//   number       1..K by slice, then by first voxel
//   paint        reads each slab a second time, labels and paints it
//
// Labels and sums are identical to the labels and sums of the volume labelled in one piece.
//
// Memory: bits and runs of one slab, and two faces of u32. If the rule compares differences, also four faces of values. For all slabs: 176
// bytes per component of a strip. For periodic axes, the numbers of the voxels at their ends: 8 bytes per voxel.
#pragma once
#include <voxcc/memory_limit.h>
#include <voxcc/periodic.h>
#include <voxcc/slab_faces.h>
#include "src/pipeline/painter.h"
#include "src/pipeline/sources.h"

#include <array>
#include <optional>
#include <shared_mutex>
#include <string>

namespace voxcc {

/// A labelling in the order of the stored axes: sums have the stored axes, and paint() takes rows of the stored volume.
class StreamedSlices : public block_runs::Labelling {
public:
    /// What is labelled, and in which slabs.
    struct Cut {
        Axis across;          // x or y: the axis across the slices
        std::int64_t slices;  // z-slices per slab
        std::string subject;  // file name for errors
    };
    /// Reads the source once. paint() reads it again: once if rows are painted slab by slab, in ascending order.
    /// @param request with the extent of the stored volume, without periodic axes. The connectivity must be c4 or c8; Rule::colour is not
    ///     supported
    /// @param ends the stored axes for read_ends()
    /// @param source must be at row 0, be read in order, and outlive this object
    /// @throw the exceptions of the source and of block_runs::label(); MemoryLimitReached
    StreamedSlices(const block_runs::Request& request, const AxisSet& ends, block_runs::RowSource& source, ThreadPool& pool,
                   const Cut& cut);
    std::uint64_t count() const override { return count_; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override { return values_; }
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    /// @throw Error changed_file if the source has changed since the first pass
    void paint(RowRange rows, std::byte* out, block_runs::Stores stores) const override;
    /// May be called once, for the axes of the constructor.
    block_runs::Ends read_ends(const block_runs::Request& request, ThreadPool& pool) override;
    const block_runs::Seconds& seconds() const override { return seconds_; }
    /// Memory of a slab besides its labelling, in bytes.
    /// @param labels, values types of the labels and of the stored values
    static std::int64_t slab_bytes(const Extent& slab, Axis across, ScalarType labels, Rule rule, ScalarType values);

private:
    /// The labels of one z-slice of a slab: a row per slice across the axis.
    struct Face {
        block_runs::SlabFace voxels;  // [slices][voxels per row of a slice]
        std::uint64_t before = 0;     // number of pieces of earlier slabs
    };
    enum class Side : std::size_t { first, last };  // the first or the last z-slice of a slab
    Extent slab_extent(std::size_t slab) const;
    std::uint64_t label_slab(std::size_t slab);
    void take_over(std::size_t slab);
    void keep_ends(std::size_t slab);
    Face face(std::size_t slab, Side side);
    void join(const Face& below, const Face& above);
    void number_components();
    void load(std::size_t slab);
    void hold(std::int64_t bytes);

    block_runs::Request request_;
    block_runs::RowSource& source_;
    Cut cut_;
    TakenMemory memory_;
    ThreadPool pool_;  // separate from the pool of the caller, whose threads call paint()
    std::int64_t next_row_ = 0;
    std::unique_ptr<block_runs::Labelling> labelling_;  // of slab_
    std::array<std::vector<std::byte>, 2> stored_;      // by Side: values of this slab, [slices][x], for Rule::gradient in the first pass
    std::vector<std::uint64_t> fingerprints_;           // of the slabs
    std::vector<std::uint64_t> before_;                 // number of pieces of earlier slabs, by slab
    std::vector<WideSums> sums_;                        // of the pieces; later of the components. By stored axes
    std::vector<std::uint64_t> values_;                 // the same; empty unless the rule is equal_values
    std::optional<block_runs::Ends> ends_;              // until read_ends(): 1-based indices of pieces
    std::vector<std::uint64_t> parents_;                // union-find of the pieces, by index; the smallest index is the root
    std::vector<std::uint64_t> numbers_;                // of the components of the pieces
    std::uint64_t count_ = 0;
    std::vector<std::uint64_t> final_numbers_;
    ScalarType type_ = ScalarType::u32;
    block_runs::Seconds seconds_;
    mutable std::shared_mutex mutex_;  // shared: paints the slab in memory; exclusive: replaces it
    std::size_t slab_ = 0;
    std::optional<Painter> painter_;  // of slab_; empty if the slab must be prepared
};

/// Labels a volume in slabs along z: by block_runs::label_streamed(), or with slices across x and y by StreamedSlices.
/// @param request with the extent of the stored volume, and the periodic axes of the exchanged axes: see VolumeBits
std::unique_ptr<block_runs::Labelling> label_in_slabs(const block_runs::Request& request, block_runs::RowSource& source, ThreadPool& pool,
                                                      const StreamedSlices::Cut& cut);

}  // namespace voxcc
