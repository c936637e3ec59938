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
#include "kernels3d/base/pieces.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/slab_faces.h"

#include <array>
#include <optional>
#include <shared_mutex>
#include <string>

namespace voxcc::block_runs {

/// A labelling in the order of the stored axes: sums have the stored axes, and paint() takes rows of the stored volume.
class StreamedSlices : public Labelling, public ReadsEnds {
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
    /// @throw the exceptions of the source and of label(); MemoryLimitReached
    StreamedSlices(const Request& request, const AxisSet& ends, RowSource& source, ThreadPool& pool, const Cut& cut);
    std::uint64_t count() const override { return count_; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override { return values_; }
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    /// @throw Error changed_file if the source has changed since the first pass
    void paint(RowRange rows, std::byte* out, Stores stores) const override;
    /// May be called once, for the axes of the constructor.
    Ends read_ends(const Request& request, ThreadPool& pool) override;
    const Seconds& seconds() const override { return seconds_; }

private:
    /// The labels of one z-slice of a slab: a row per slice across the axis.
    struct Face {
        SlabFace voxels;           // [slices][voxels per row of a slice]
        std::uint64_t before = 0;  // number of pieces of earlier slabs
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

    Request request_;
    RowSource& source_;
    Cut cut_;
    TakenMemory memory_;
    ThreadPool pool_;  // separate from the pool of the caller, whose threads call paint()
    std::int64_t next_row_ = 0;
    std::unique_ptr<Labelling> labelling_;          // of slab_
    std::array<std::vector<std::byte>, 2> stored_;  // by Side: values of this slab, [slices][x], for Rule::gradient in the first pass
    std::vector<std::uint64_t> fingerprints_;       // of the slabs
    std::vector<std::uint64_t> before_;             // number of pieces of earlier slabs, by slab
    std::vector<WideSums> sums_;                    // of the pieces; later of the components. By stored axes
    std::vector<std::uint64_t> values_;             // the same; empty unless the rule is equal_values
    std::optional<Ends> ends_;                      // until read_ends(): 1-based indices of pieces
    PieceSets sets_;                                // of the pieces, by index
    std::vector<std::uint64_t> numbers_;            // of the components of the pieces
    std::uint64_t count_ = 0;
    std::vector<std::uint64_t> final_numbers_;
    ScalarType type_ = ScalarType::u32;
    Seconds seconds_;
    mutable std::shared_mutex mutex_;  // shared: paints the slab in memory; exclusive: replaces it
    std::size_t slab_ = 0;
    std::optional<Painter> painter_;  // of slab_; empty if the slab must be prepared
};

}  // namespace voxcc::block_runs
