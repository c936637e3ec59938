// Fills holes: background that is enclosed by foreground. A mask does not bound holes, but only voxels inside the mask are filled.
//
//   in memory   fill_holes() sets bits of a volume in memory
//   streamed    FilledSource finds the holes in two passes, keeps them as runs, and adds them to the foreground of each later pass
//
// labelled_holes.h fills holes if the rule compares values.
#pragma once
#include <voxcc/holes.h>
#include <voxcc/threads.h>
#include "src/pipeline/sources.h"

#include <functional>
#include <string>
#include <vector>

namespace voxcc {

/// Writes rows of a labelled background as ScalarType::u8: 1 in holes, 0 elsewhere. Must be thread-safe.
using PaintHoles = std::function<void(RowRange rows, std::byte* out)>;

/// Makes the voxels of holes foreground if they are in VolumeBits::mask, or if VolumeBits::mask is empty.
/// @param in_row see rows_of_holes(); must not be empty
void set_holes(VolumeBits& held, const std::vector<bool>& in_row, const PaintHoles& paint, ThreadPool& pool);

/// The holes of a volume in memory.
/// @param memory limit for the runs and components of the background; null: none. Must outlive the result
/// @throw MemoryLimitReached
Holes find_holes(const VolumeBits& held, const HoleRule& rule, ThreadPool& pool, MemoryLimit* memory);

/// Fills the holes of a volume in memory.
/// @param memory see find_holes()
/// @throw MemoryLimitReached
// c26, a hollow cube of {3, 3, 3}: the voxel in the centre becomes foreground
void fill_holes(VolumeBits& held, const HoleRule& rule, ThreadPool& pool, MemoryLimit* memory);

/// The foreground of a source with its holes filled. Values are the values of the source.
class FilledSource : public RowSource {
public:
    /// How the background is labelled: see label_slices().
    struct Slabs {
        std::int64_t slices;
        std::string subject;
        Axis across = Axis::z;  // axis across the slices; as in label_slices()
    };
    /// Reads the source twice, and rewinds it. Then the memory holds only the runs of the holes, 16 bytes per run.
    /// @param source must be at row 0, and must outlive this object. Its voxels outside the mask are not filled
    /// @param memory must outlive this object; null: no limit
    /// @throw the exceptions of label_slices(); MemoryLimitReached for the holes of all slabs
    FilledSource(ReaderSource& source, const Extent& extent, const HoleRule& rule, ThreadPool& pool, const Slabs& slabs,
                 MemoryLimit* memory);
    Access access() const override { return source_.access(); }
    void rewind() override { source_.rewind(); }
    std::int64_t rows_per_fetch() const override { return source_.rows_per_fetch(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override { return source_.fetch(rows, buffer); }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return source_.values(fetched, rows, index);
    }
    ScalarType value_type() const override { return source_.value_type(); }
    Lifetime lifetime() const override { return source_.lifetime(); }

private:
    ReaderSource& source_;
    std::int64_t words_;  // per row
    HoleRuns runs_;
};

}  // namespace voxcc
