// Periodic volumes: opposite ends of an axis touch each other.
//
//   plain       labels the volume without periodic axes; its components are the pieces       any engine
//   ends        reads the numbers of the voxels at both ends of the periodic axes            Ends
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
#include <voxcc/labelling.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace voxcc {

/// The voxels of a component with one shift. Voxels without a shift do not have a Section of their own.
struct Section {
    std::uint64_t component = 0;           // its number
    std::array<std::uint32_t, 3> shift{};  // in extents of the volume along x, y and z; not all 0
    bool operator==(const Section&) const = default;
};

/// How the components of a periodic volume are unwrapped. The voxels of component k that have no shift have the section number k. The other
/// sections follow: shifted[i] has the section number components + 1 + i.
// the drawing above: components 1, shifted {{1, {1, 0, 0}}}: section 1 has x 7..9, and section 2 has x 0..1
struct Sections {
    std::uint64_t components = 0;
    std::vector<Section> shifted;                          // in any order
    std::vector<std::pair<std::uint64_t, AxisSet>> wraps;  // ascending: the components that wrap around axes, and these axes

    std::uint64_t count() const { return components + shifted.size(); }
    /// @param section from 1 on
    std::uint64_t component_of(std::uint64_t section) const {
        return section <= components ? section : shifted[std::size_t(section - components - 1)].component;
    }
    /// The shift of a section. @param section from 1 on
    std::array<std::uint32_t, 3> shift_of(std::uint64_t section) const {
        return section <= components ? std::array<std::uint32_t, 3>{} : shifted[std::size_t(section - components - 1)].shift;
    }
    /// The axes that a component wraps around. @param component from 1 on
    AxisSet wraps_of(std::uint64_t component) const;
};

/// The sections of the components that a selection keeps.
struct KeptSections {
    Sections sections;                         // with the final numbers of components; `wraps` is empty
    std::vector<std::uint64_t> final_numbers;  // of the sections before, by number - 1; 0: the component is dropped
};

/// @param final_numbers of the components, by number - 1; 0: the component is dropped. Empty: components keep their numbers
/// @param count the largest final number
// components 2, shifted {{1, {1, 0, 0}}, {2, {1, 0, 0}}}; final_numbers {0, 1}  ->  shifted {{1, {1, 0, 0}}}, final_numbers {0, 1, 0, 2}
KeptSections keep_sections(const Sections& sections, std::span<const std::uint64_t> final_numbers, std::uint64_t count);

namespace block_runs {

/// The axes of a request around which components can reach: periodic axes of more than one voxel, within slices if the connectivity does
/// not cross slices.
/// @param slices the axis across the slices of c4 and c8
// {5, 1, 5} with c8, periodic x, y and z  ->  only x
Periodic crossed_axes(const Request& request, Axis slices = Axis::z);

/// The period of each axis: its extent if it is one of the axes, else 0.
std::array<std::int64_t, 3> periods(const Extent& extent, const Periodic& axes);

/// One element per voxel at the ends of axes: in the first and in the last layer along each axis.
class Ends {
public:
    /// @param element_bytes bytes per voxel
    /// @param memory counts the bytes as long as the object exists; null: no limit
    /// @throw MemoryLimitReached
    Ends(const Extent& extent, const Periodic& axes, int element_bytes, MemoryLimit* memory);
    static std::int64_t bytes(const Extent& extent, const Periodic& axes, int element_bytes);
    const Extent& extent() const { return extent_; }
    const Periodic& axes() const { return axes_; }
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
    Periodic axes_;
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
/// @param label called once, with the request without periodic axes. Labelling::read_ends() must work for its result
/// @param source must outlive the labelling if `label` needs this
/// @param slices the axis across the slices of c4 and c8
/// @throw the exceptions of `label`; Error unsupported if an unwrapped component is 2^32 voxels long or longer; MemoryLimitReached
std::unique_ptr<Labelling> label_periodic(const Request& request, RowSource& source, ThreadPool& pool, const LabelPlain& label,
                                          Axis slices = Axis::z);

}  // namespace block_runs
}  // namespace voxcc
