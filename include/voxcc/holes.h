// Holes: background that is enclosed by foreground, or by one label of a label volume.
#pragma once
#include <voxcc/label.h>

#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace voxcc {

/// Which components of the background are holes: those that do not touch the border. The question is the question of the foreground; the
/// background has the dual connectivity.
struct HoleRule : Question {
    Extent faces = {};  // extent of the volume, with 1 for axes whose faces are not border
    std::uint64_t most_voxels = std::numeric_limits<std::uint64_t>::max();  // larger components are not holes
};

/// What is labelled in the background of a volume.
Question background_question(const Extent& extent, const HoleRule& rule);

/// Marks the rows of a labelled background that can have voxels of holes. All other rows have none. Empty: no row has.
/// @param is_hole by number - 1: 1 (hole) or 0
/// @param sums of the components, by number - 1
std::vector<bool> rows_of_holes(std::span<const std::uint64_t> is_hole, const SumTable& sums, const Extent& extent);

/// The background of a volume, and which of its components are holes.
struct Holes {
    std::unique_ptr<RowSource> source;  // of the background
    std::unique_ptr<Labelling> background;
    std::vector<std::uint64_t> is_hole;  // by number of a component of the background - 1: 1 (hole) or 0
    std::vector<bool> in_row;            // see rows_of_holes()
    std::unique_ptr<TakenMemory> memory;
};

/// Labels the background of a source.
/// @param source at row 0. With slabs, it must outlive the result
/// @param execution the limit of its memory must outlive the result
/// @param across with slabs, the axis across the slices of c4 and c8: see label_slices()
/// @throw the exceptions of label() and label_slices()
Holes find_holes(RowSource& source, const Extent& extent, const HoleRule& rule, const Execution& execution, Axis across = Axis::z);

/// Voxels of a hole that lie side by side in a row.
struct HoleRun {
    std::uint32_t first = 0, end = 0;  // columns; `end` is not in the run
    std::uint64_t hole = 0;            // from 0 on, in the order of the components of the background
    bool operator==(const HoleRun&) const = default;
};

/// The voxels of all holes of a volume as runs. Memory: 16 bytes per run, 48 bytes per 64 rows, and 260 if these rows have runs.
// the rows [5 0 0 5], [5 5 0 5] of one hole  ->  {1, 3, 0} in row 0, {2, 3, 0} in row 1
class HoleRuns {
public:
    /// @param holes their labelling is painted once, and its source read again with slabs. Each hole gets a number in `is_hole`
    /// @param memory limit for the runs; null: none. Must outlive this object
    /// @throw MemoryLimitReached, of all slabs; the exceptions of the painting
    HoleRuns(Holes& holes, const Extent& extent, ThreadPool& pool, MemoryLimit* memory);
    /// The runs of a row, in ascending order.
    std::span<const HoleRun> operator[](std::int64_t row) const;

private:
    static constexpr std::int64_t rows_per_block = 64;
    struct Block {
        std::vector<HoleRun> runs;
        std::vector<std::uint32_t> begins;  // by row of the block, and the number of runs; empty: no runs
    };
    TakenMemory taken_;
    std::vector<Block> blocks_;
};

/// The holes in the labels of a volume. Labels are 64-bit patterns; signed labels are sign-extended. 0 is background.
///
///     5 5 5 0 7 7     a hole in 5: all labels that share a face with it are 5
///     5 0 5 0 0 7     not a hole: it touches the border
class LabelHoles {
public:
    /// Which holes are filled, and with which label: holes with one label around them; or all holes that have a label around them, with the
    /// largest of the labels.
    enum class Filling : std::uint8_t { one_label, largest_label };

    /// Reads the source twice, and with slabs three times. Only the rows near holes are examined in the last pass.
    /// @param labels a source of integers, at row 0. pack() must give the voxels that are not 0. rewind() must work
    /// @param execution with a pool
    /// @throw Error invalid_argument if the values are not integers; the exceptions of label_slices() and of the source;
    ///     MemoryLimitReached
    LabelHoles(RowSource& labels, const Extent& extent, const HoleRule& rule, const Execution& execution);

    /// The label that fills a hole; 0 if the hole is not filled.
    std::uint64_t label_of(std::uint64_t hole, Filling filling) const {
        const Bounds& bounds = around_[std::size_t(hole)];
        return filling == Filling::one_label && bounds.least != bounds.largest ? 0 : bounds.largest;
    }
    struct Count {
        std::uint64_t holes = 0, voxels = 0;
    };
    Count filled(Filling filling) const;
    /// Holes with several labels around them.
    Count between_labels() const;
    /// Calls f(run, label) for the runs of a row that are filled, in ascending order.
    template <class F>
    void for_each_run(std::int64_t row, Filling filling, const F& f) const {
        for (const HoleRun& run : runs_[row])
            if (const std::uint64_t label = label_of(run.hole, filling)) f(run, label);
    }
    /// Fills the holes of rows. Thread-safe.
    /// @param type an integer type; labels are written modulo its size
    /// @param labels must hold rows.count * nx labels
    void fill(RowRange rows, Filling filling, ScalarType type, std::byte* labels) const;

private:
    struct Bounds {  // of the labels around a hole, in the order of their type; 0: no label
        std::uint64_t least = 0, largest = 0;
    };
    LabelHoles(Holes holes, RowSource& labels, const Extent& extent, const HoleRule& rule, const Execution& execution);

    Extent extent_;
    TakenMemory taken_;  // for the members of holes
    HoleRuns runs_;
    std::vector<std::uint64_t> voxels_;  // by hole
    std::vector<Bounds> around_;         // by hole
};

}  // namespace voxcc
