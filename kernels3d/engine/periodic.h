// AxisSet volumes: opposite ends of an axis touch each other.
//
//   plain       labels the volume without periodic axes; its components are the pieces       any engine
//   ends        reads the numbers of the voxels at both ends of the periodic axes            Ends, read_ends()
//   join        pieces that touch across an end: union-find with shifts                      kernels3d/base/union_shifted.h
//   unwrap      moves the sums of each piece by its shift, and adds them                     SumTable of the labelling
//
// A component that crosses an end has its voxels at both ends of the volume. It is measured unwrapped: as it lies in an unlimited space
// that the volume fills again and again. Each piece is moved by a number of extents, its shift. Along each axis, the smallest shift of a
// component is 0, so its bounding box starts inside the volume. All shifts follow from the component, not from the order in which pieces
// are joined.
//
//   x            0 1 2 3 4 5 6 7 8 9           pieces: x 0..1 and x 7..9
//                # # . . . . . # # #           shifts: 1 and 0    ->  unwrapped x 7..11, centroid 9
//
// If a path in a component leads around an axis back to its start, the component wraps around this axis. Then it has no place along the
// axis, and no measures along the axis. Its pieces have no shifts along the axis. An axis of one voxel is not periodic.
#pragma once
#include "kernels3d/engine/request.h"

#include <functional>
#include <memory>
#include <vector>

namespace voxcc::block_runs {

/// The axes of a request around which components can reach: periodic axes of more than one voxel, within slices if the connectivity does
/// not cross slices.
/// @param slices the axis across the slices of c4 and c8
// {5, 1, 5} with c8, periodic x, y and z  ->  only x
AxisSet crossed_axes(const Request& request, Axis slices = Axis::z);

/// One element per voxel at the ends of axes: in the first and in the last layer along each axis.
class Ends {
public:
    /// @param element_bytes bytes per voxel
    /// @param memory counts the bytes as long as the object exists; null: no limit
    /// @throw MemoryLimitReached
    Ends(const Extent& extent, const AxisSet& axes, int element_bytes, MemoryLimit* memory);
    static std::int64_t bytes(const Extent& extent, const AxisSet& axes, int element_bytes);
    const Extent& extent() const { return extent_; }
    const AxisSet& axes() const { return axes_; }
    int element_bytes() const { return element_bytes_; }
    /// Whether a row of the volume has such voxels.
    bool has(std::int64_t row) const;
    /// Sets the elements of a row. Thread-safe for different rows.
    /// @param elements of the nx voxels of the row
    void set_row(std::int64_t row, const std::byte* elements);
    /// The element of a voxel, which must be at an end.
    const std::byte* at(const std::array<std::int64_t, 3>& voxel) const;
    /// All elements of the ends of an axis. x: [z][y][end]; y: [z][end][x]; z: [end][y][x], where `end` 0 is the first layer
    std::vector<std::byte>& layers(Axis axis) { return layers_[std::size_t(axis)]; }
    const std::vector<std::byte>& layers(Axis axis) const { return layers_[std::size_t(axis)]; }

private:
    Extent extent_;
    AxisSet axes_;
    int element_bytes_;
    std::unique_ptr<TakenMemory> memory_;
    std::array<std::vector<std::byte>, 3> layers_;
};

/// Writes the numbers of rows, x fastest. Thread-safe.
using PaintRows = std::function<void(RowRange rows, std::byte* out)>;

/// Paints rows into Ends.
/// @param rows of the volume of `to`
/// @param paint called for some of these rows; writes numbers of `to.element_bytes()` bytes
void paint_ends(RowRange rows, const PaintRows& paint, Ends& to, ThreadPool& pool);

/// Labels a volume without periodic axes.
using LabelPlain = std::function<std::unique_ptr<Labelling>(const Request& request, RowSource& source)>;

/// Labels a periodic volume: labels it with `label`, then joins the components that touch across ends. Every engine uses this function.
/// @param request its connectivity must be reduced to the extent
/// @param label called once, with the request without periodic axes
/// @param source must outlive the labelling if `label` needs this
/// @param slices the axis across the slices of c4 and c8
/// @throw the exceptions of `label`; Error unsupported if an unwrapped component is 2^32 voxels long or longer; MemoryLimitReached
std::unique_ptr<Labelling> label_periodic(const Request& request, RowSource& source, ThreadPool& pool, const LabelPlain& label,
                                          Axis slices = Axis::z);

/// A labelling that has its own way to read the numbers of the voxels at the ends of axes.
class ReadsEnds {
public:
    virtual ~ReadsEnds() = default;
    virtual Ends read_ends(const Request& request, ThreadPool& pool) = 0;
};

/// The numbers of the voxels at the ends of axes, in 4 or 8 bytes. Calls prepare_paint() of labellings that are not a ReadsEnds.
/// @param request its extent, the axes as its periodic axes, and its memory limit are used. The axes must be crossed_axes()
/// @throw MemoryLimitReached; the exceptions of paint()
Ends read_ends(Labelling& labelling, const Request& request, ThreadPool& pool);

}  // namespace voxcc::block_runs
