// Blocks of an array that are labelled one by one: their outlines and sums, and the components of all blocks together.
//
// A piece is a component of one block. Its id is the index, in the complete array in C order, of its first voxel. So the ids of all pieces
// of all blocks differ. Blocks and complete arrays have three axes here; arrays with fewer axes have leading axes of length 1.
//
//   outline         first voxels and faces of a block                 (one block)
//   touching        pairs of pieces that touch across two faces       (two blocks)
//   number_sets     numbers of united pieces                          (all blocks)
//   table_of_sums   the table of all components from sums of pieces   (all blocks)
#pragma once
#include <voxcc/parts.h>
#include "python/src/labelled.h"

namespace voxcc::python {

/// The place of a block in the complete array.
struct Place {
    std::array<std::int64_t, 3> origin;  // index of the first voxel of the block
    std::array<std::int64_t, 3> shape;   // of the complete array; each axis at most 2^31
};

/// Voxels of a piece side by side in a row of a face. A face lies across one axis; its rows lie along the last of the other two axes.
struct FaceRun {
    std::uint64_t position = 0;  // row * 2^32 + first column, as indices of the complete array
    std::uint64_t length = 0;
    std::uint64_t piece = 0;  // id
    std::uint64_t value = 0;  // bits of the value if values are compared, else 0
    bool operator==(const FaceRun&) const = default;
};

struct Outline {
    std::vector<std::uint64_t> pieces;          // id of each component of the block, ascending; entry k - 1 for number k
    std::array<std::vector<FaceRun>, 6> faces;  // 2 * axis: the face with the smallest indices; 2 * axis + 1: the opposite face
};

/// Reads the rows of a labelled block once, without a label volume. Must be called without the GIL.
/// @param block numbered in C order and stored with the last axis fastest, with three axes; no component may be dropped
/// @param faces bit f: find the runs of Outline::faces[f]
// block [[1, 1, 0], [0, 0, 1]] of shape {1, 2, 3} with 6 neighbours at origin {0, 0, 4} of an array of shape {1, 2, 8}
//     ->  pieces {4, 14}; faces[4] = {{0, 1, 4}} (row 0, column 0); faces[5] = {{1, 1, 14}} (row 0, column 1)
Outline outline(Labelled& block, const Place& place, unsigned faces);

/// 64-bit words per component of sums_of_pieces().
constexpr std::size_t words_per_sum = 19;

/// The sums of the components of a block in indices of the complete array. Must be called without the GIL.
/// A row: voxels; the sums of the indices along axes 0, 1, 2; the sums of the products of two indices (axes 00 01 02 11 12 22, the lower
/// 64 bits first); for each axis, smallest index + largest index * 2^32.
/// @return words_per_sum words per component
std::vector<std::uint64_t> sums_of_pieces(Labelled& block, const std::array<std::int64_t, 3>& origin);

/// The pairs of pieces that touch across two faces with consecutive indices along the axis of the faces.
/// @param low, high runs in ascending order, as `length` rows of `columns` (3 or 4) words: members of FaceRun
/// @param connectivity of the complete array
/// @return ids (piece of low, piece of high), ascending, without repetitions; only of equal values if there are 4 columns
std::vector<std::array<std::uint64_t, 2>> touching(std::span<const std::uint64_t> low, std::span<const std::uint64_t> high,
                                                   std::size_t columns, Connectivity connectivity);

/// Sums of components, added up over their pieces.
class MergedSums {
public:
    explicit MergedSums(std::size_t components) : sums_(components) {}
    /// @param rows words of sums_of_pieces()
    /// @param numbers number of the component of each row, 0 for dropped rows
    /// @param moved three words per row: see UnwrappedSets; empty: the rows are not moved
    void add(std::span<const std::uint64_t> rows, std::span<const std::uint64_t> numbers, std::span<const std::uint64_t> moved);
    /// The columns of Labelled::table() without value.
    /// @param shape of the array, with one to three axes
    /// @param periodic bit a: the array wraps around along axis a
    /// @param wraps three words per component: see UnwrappedSets; empty: no component wraps around an axis
    nb::dict table(const std::vector<Py_ssize_t>& shape, unsigned periodic, const Spacing& spacing,
                   std::span<const std::uint64_t> wraps) const;

private:
    std::vector<WideSums> sums_;  // x, y, z are the axes 0, 1, 2
};

}  // namespace voxcc::python
