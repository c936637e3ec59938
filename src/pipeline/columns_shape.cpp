// The columns that --shape adds. In a table of images of one slice, or of slices, the perimeter takes the place of the surface.
#include "src/pipeline/columns.h"

namespace voxcc {
namespace {

using Values = ComponentValues;
using Member = ColumnFamily::Member;

bool has_shape(const ExtraColumns& extras) { return extras.shape; }
bool has_surface(const ExtraColumns& extras) { return extras.shape && has_volumes(extras); }
bool has_perimeter(const ExtraColumns& extras) { return extras.shape && has_planes(extras); }

io::Cell cell_of(const std::optional<double>& value) { return value ? io::Cell(*value) : io::Cell(); }

/// The cell of a value that may not exist.
template <std::optional<double> ShapeProperties::*member>
io::Cell of_shape(const Values& v, std::size_t) {
    return v.shape ? cell_of((*v.shape).*member) : io::Cell();
}

/// The cell of a value that exists only in one space.
template <std::optional<double> ShapeProperties::*member, Space space>
io::Cell of_shape_in(const Values& v, std::size_t) {
    return v.shape && v.space == space ? cell_of((*v.shape).*member) : io::Cell();
}

io::Cell axis(const Values& v, std::size_t at) {
    return v.shape && v.shape->axes ? io::Cell((*v.shape->axes)[at / 3][at % 3]) : io::Cell();
}

io::Cell axis_length(const Values& v, std::size_t at) {
    return v.shape && v.shape->axis_lengths_mm ? io::Cell((*v.shape->axis_lengths_mm)[at]) : io::Cell();
}

std::vector<Member> axes() {
    return {{"axis1_x", "longest, x"},  {"axis1_y", "longest, y"},  {"axis1_z", "longest, z"},
            {"axis2_x", "second, x"},   {"axis2_y", "second, y"},   {"axis2_z", "second, z"},
            {"axis3_x", "shortest, x"}, {"axis3_y", "shortest, y"}, {"axis3_z", "shortest, z"}};
}

std::vector<ColumnFamily> surfaces() {
    using S = ShapeProperties;
    return {
        {.title = "surface",
         .members = {{"surface"}},
         .quantity = Quantity::area,
         .meaning = "surface by the Crofton formula, 13 directions",
         .remark =
             "n_d is the number of pairs of voxels p and p + d of the component, w_d the weight of direction d, V the volume of a voxel.",
         .formula = "4 V sum of w_d (N - n_d) / |A3 d|",
         .is_present = has_surface,
         .cell = of_shape_in<&S::surface_mm2, Space::volume>},
        {.title = "surface of the faces",
         .members = {{"surface_faces"}},
         .quantity = Quantity::area,
         .meaning = "area of the faces of voxels at the surface",
         .formula = "sum of the faces",
         .is_present = has_surface,
         .cell = of_shape_in<&S::surface_faces_mm2, Space::volume>},
        {.title = "perimeter",
         .members = {{"perimeter"}},
         .quantity = Quantity::length,
         .meaning = "in 2D, in place of the surface: 4 directions",
         .remark =
             "n_d is the number of pairs of pixels p and p + d of the component, w_d the weight of direction d, V the area of a pixel.",
         .formula = "pi V sum of w_d (N - n_d) / |A3 d|",
         .is_present = has_perimeter,
         .cell = of_shape_in<&S::surface_mm2, Space::plane>},
        {.title = "perimeter of the sides",
         .members = {{"perimeter_sides"}},
         .quantity = Quantity::length,
         .meaning = "in 2D: length of the sides of pixels at the perimeter",
         .formula = "sum of the sides",
         .is_present = has_perimeter,
         .cell = of_shape_in<&S::surface_faces_mm2, Space::plane>},
    };
}

}  // namespace

std::vector<ColumnFamily> columns_of_shape() {
    using S = ShapeProperties;
    std::vector<ColumnFamily> families = surfaces();
    const auto add = [&](ColumnFamily family) {
        family.is_present = has_shape;
        families.push_back(std::move(family));
    };
    add({.title = "Euler number",
         .members = {{"euler_number"}},
         .quantity = Quantity::plain,
         .meaning = "parts - tunnels + cavities",
         .remark = "26 and 8: voxels are closed cubes. 18: closed cubes, and a vertex between two opposite voxels counts twice. "
                   "6 and 4: voxels are joined through faces only.",
         .formula = "vertices - edges + faces - cubes",
         .range = "integer",
         .cell = [](const Values& v, std::size_t) { return v.shape ? io::Cell(v.shape->euler_number) : io::Cell(); }});
    add({.title = "sphericity",
         .members = {{"sphericity"}},
         .quantity = Quantity::plain,
         .meaning = "surface of the ball of equal volume / surface; 1 is a ball",
         .remark = "In 2D: perimeter of the disc of equal area / perimeter. Components of a few voxels can have values above 1.",
         .formula = "pi D^2 / surface",
         .range = "above 0",
         .cell = of_shape<&S::sphericity>});
    add({.title = "equivalent diameter",
         .members = {{"equivalent_diameter"}},
         .quantity = Quantity::length,
         .meaning = "diameter D of the ball of equal volume",
         .remark = "In 2D: diameter of the disc of equal area, sqrt(4 area / pi).",
         .formula = "cbrt(6 volume / pi)",
         .cell = of_shape<&S::equivalent_diameter_mm>});
    add({.title = "extent",
         .members = {{"extent"}},
         .quantity = Quantity::plain,
         .meaning = "part of the bounding box that the component fills",
         .formula = "N / voxels of the bounding box",
         .range = "0 to 1",
         .cell = [](const Values& v, std::size_t) { return v.shape ? io::Cell(v.shape->extent) : io::Cell(); }});
    add({.title = "Feret diameter",
         .members = {{"feret"}},
         .quantity = Quantity::length,
         .meaning = "largest distance between two corners of voxels",
         .formula = "max |A3 (p - q)|",
         .cell = of_shape<&S::feret_mm>});
    add({.title = "direction of a principal axis",
         .members = axes(),
         .quantity = Quantity::plain,
         .meaning = "unit vector of the axis in RAS+",
         .remark = "The largest of x, y and z is positive.",
         .formula = "eigenvector of A3 C A3^T",
         .range = "-1 to 1",
         .cell = axis});
    add({.title = "length of a principal axis",
         .members = {{"axis1_length", "longest"}, {"axis2_length", "second"}, {"axis3_length", "shortest"}},
         .quantity = Quantity::length,
         .meaning = "length of the axis: 4 standard deviations",
         .formula = "4 sqrt(eigenvalue of A3 C A3^T)",
         .cell = axis_length});
    for (ColumnFamily& family : families) family.group = "shape";
    return families;
}

}  // namespace voxcc
