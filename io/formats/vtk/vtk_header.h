// The keywords of a legacy VTK file of structured points, and the places of its arrays.
// https://docs.vtk.org/en/latest/vtk_file_formats/vtk_legacy_file_format.html
//
//   # vtk DataFile Version 3.0      SPACING 1 1 2        SCALARS p short
//   any title                       ORIGIN 0 0 0         LOOKUP_TABLE default
//   BINARY                          CELL_DATA 1520       <2040 numbers>
//   DATASET STRUCTURED_POINTS       <arrays of cells>    VECTORS v float
//   DIMENSIONS 20 17 6              POINT_DATA 2040      <3 * 2040 numbers>
//
// The format states no length and has no checksum. The length of an array follows from the keywords before it. All keywords are therefore
// passed, to the last byte of the file. A keyword that VTK does not define is an error, because the array before it could be shorter or
// longer than its header states.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/vtk/vtk_values.h"
#include "io/io.h"
#include "io/orientation.h"

namespace voxcc::io {

/// What an array has values for: the points of the grid, or the cells between the points.
enum class VtkPlace : std::uint8_t { points, cells };

/// Whether an array can be the volume. named: only if it is chosen by its name (identifiers, normals, texture coordinates).
enum class VtkUse : std::uint8_t { scalars, named };

struct VtkArray {
    std::string name;
    VtkPlace place = VtkPlace::points;
    VtkUse use = VtkUse::scalars;
    VtkType type;
    std::int64_t components = 1;
    std::int64_t offset = 0, end = 0;  // bytes of the values in the file
};

struct VtkHeader {
    VtkEncoding encoding = VtkEncoding::text;
    Extent points{};
    std::optional<Vector3> spacing, origin;  // empty if the file does not state them
    std::vector<VtkArray> arrays;            // of points and cells, in the order of the file
    std::vector<std::string> warnings;
};

/// @return whether a file starts as a legacy VTK file
bool has_vtk_magic(std::span<const std::byte> start);

/// The grid of an array. An axis of one point has one cell.
// {20, 17, 1} points  ->  {19, 16, 1} cells
Extent vtk_extent(const Extent& points, VtkPlace place);

/// Passes a file from its first to its last byte.
/// @throw Error invalid_file, truncated_file; unsupported_file for other data sets than structured points
VtkHeader read_vtk_header(const InputFile& file);

}  // namespace voxcc::io
