// The columns of every table: size, position, and shape from second moments.
#include "src/pipeline/columns.h"

namespace voxcc {
namespace {

using Values = ComponentValues;

/// @tparam first index of the lower end in Properties::box
template <std::size_t first>
ColumnFamily bounding_box(std::vector<ColumnFamily::Member> members, std::string_view meaning) {
    return {.title = "bounding box",
            .members = std::move(members),
            .quantity = Quantity::voxels,
            .meaning = meaning,
            .remark = "Both ends are inclusive. Indices count from 0.",
            .formula = "least and greatest index",
            .range = "index",
            .group = "box",
            .cell = [](const Values& v, std::size_t at) {
                return v.properties.wraps.axes[first / 2] ? io::Cell() : io::Cell(v.properties.box[first + at]);
            }};
}

/// The axes that a component wraps around, as in --periodic: "xz"; "none".
std::string wrapped_axes(const AxisSet& wraps) {
    std::string axes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (wraps.axes[axis]) axes += "xyz"[axis];
    return axes.empty() ? "none" : axes;
}

}  // namespace

std::vector<ColumnFamily> columns_of_size_and_position() {
    return {
        {.title = "label",
         .members = {{"label"}},
         .quantity = Quantity::plain,
         .meaning = "number of the component in the label volume",
         .range = "integer",
         .is_brief = true,
         .is_present = [](const ExtraColumns& extras) { return !extras.bids; },
         .cell = [](const Values& v, std::size_t) { return v.label; }},
        {.title = "index",
         .members = {{"index"}},
         .quantity = Quantity::plain,
         .meaning = "number of the component in the label volume; with `--bids`, in place of `label`",
         .range = "integer",
         .is_present = with<&ExtraColumns::bids>,
         .cell = [](const Values& v, std::size_t) { return v.label; }},
        {.title = "name",
         .members = {{"name"}},
         .quantity = Quantity::plain,
         .meaning = "the word `component` and the number; with `--bids`",
         .range = "text",
         .is_present = with<&ExtraColumns::bids>,
         .cell = [](const Values& v, std::size_t) { return io::Cell("component " + std::to_string(std::get<std::uint64_t>(v.label))); }},
        {.title = "number of voxels",
         .members = {{"voxels"}},
         .quantity = Quantity::voxels,
         .meaning = "number of voxels",
         .formula = "N",
         .group = "size",
         .is_brief = true,
         .cell = [](const Values& v, std::size_t) { return io::Cell(v.properties.voxels); }},
        {.title = "volume",
         .members = {{"volume"}},
         .quantity = Quantity::volume,
         .meaning = "volume",
         .remark = "N is the number of voxels. A3 is the left 3 x 3 part of the affine, which maps voxel indices to positions.",
         .formula = "N |det A3|",
         .group = "size",
         .is_brief = true,
         .is_present = has_volumes,
         .cell = [](const Values& v, std::size_t) { return v.space == Space::volume ? in_world(v, v.properties.volume_mm3) : io::Cell(); }},
        {.title = "area",
         .members = {{"area"}},
         .quantity = Quantity::area,
         .meaning = "in 2D and slices, in place of the volume",
         .remark = "N is the number of pixels, a and b are the steps of the affine along the two axes of the slice.",
         .formula = "N |a x b|",
         .group = "size",
         .is_brief = true,
         .is_present = has_planes,
         .cell = [](const Values& v, std::size_t) { return v.area ? io::Cell(*v.area) : io::Cell(); }},
        {.title = "centroid",
         .members = {{"centroid_i", "i"}, {"centroid_j", "j"}, {"centroid_k", "k"}},
         .quantity = Quantity::voxels,
         .meaning = "mean of the voxel centres, not weighted",
         .remark = "Voxel centres are at whole numbers, which count from 0. i is the fastest axis of the file.",
         .formula = "sum of (i, j, k) / N",
         .group = "centroid",
         .is_brief = true,
         .cell = [](const Values& v, std::size_t at) { return io::Cell(v.properties.centroid[at]); }},
        {.title = "position of the centroid",
         .members = {{"centroid_x", "x"}, {"centroid_y", "y"}, {"centroid_z", "z"}},
         .quantity = Quantity::length,
         .meaning = "position of the centroid",
         .remark = "x grows to the right, y to the front (anterior) and z to the top (superior). A is the affine of the file.",
         .formula = "A (centroid)",
         .group = "centroid",
         .is_brief = true,
         .cell = [](const Values& v, std::size_t at) { return in_world(v, v.properties.centroid_mm[at]); }},
        bounding_box<0>({{"bbox_i_min", "first i"}, {"bbox_i_max", "last i"}}, "bounding box along i, both ends inclusive"),
        bounding_box<2>({{"bbox_j_min", "first j"}, {"bbox_j_max", "last j"}}, "bounding box along j, both ends inclusive"),
        bounding_box<4>({{"bbox_k_min", "first k"}, {"bbox_k_max", "last k"}}, "bounding box along k, both ends inclusive"),
    };
}

std::vector<ColumnFamily> columns_of_second_moments() {
    return {
        {.title = "covariance C",
         .members = {{"cov_ii", "ii"}, {"cov_ij", "ij"}, {"cov_ik", "ik"}, {"cov_jj", "jj"}, {"cov_jk", "jk"}, {"cov_kk", "kk"}},
         .quantity = Quantity::squared_voxels,
         .meaning = "covariance C of the voxel centres",
         .remark = "Covariance of the population: divided by the number of voxels N. p is a voxel centre, m is the centroid.",
         .formula = "sum of (p - m)(p - m)^T / N",
         .group = "covariance",
         .cell = [](const Values& v, std::size_t at) { return io::Cell(v.properties.covariance[at]); }},
        {.title = "covariance in space",
         .members = {{"cov_xx", "xx"}, {"cov_xy", "xy"}, {"cov_xz", "xz"}, {"cov_yy", "yy"}, {"cov_yz", "yz"}, {"cov_zz", "zz"}},
         .quantity = Quantity::area,
         .meaning = "covariance of the positions",
         .remark = "C is the covariance of the voxel indices. A3 is the left 3 x 3 part of the affine.",
         .formula = "A3 C A3^T",
         .group = "covariance",
         .cell = [](const Values& v, std::size_t at) { return in_world(v, v.properties.covariance_mm2[at]); }},
        {.title = "principal axis",
         .members = {{"axis1", "longest"}, {"axis2", "second"}, {"axis3", "shortest"}},
         .quantity = Quantity::length,
         .meaning = "standard deviation along each principal axis",
         .remark = "This is not a length from end to end: a ball of radius r has r / sqrt(5). It is 0 where the component has no extent.",
         .formula = "sqrt(eigenvalue of A3 C A3^T)",
         .group = "axes",
         .cell = [](const Values& v, std::size_t at) { return in_world(v, v.properties.axes_mm[at]); }},
        {.title = "elongation",
         .members = {{"elongation"}},
         .quantity = Quantity::plain,
         .meaning = "1 is round, 0 is a line or one voxel",
         .formula = "axis2 / axis1",
         .range = "0 to 1",
         .group = "axes",
         .cell = [](const Values& v, std::size_t) { return in_world(v, v.properties.elongation); }},
        {.title = "flatness",
         .members = {{"flatness"}},
         .quantity = Quantity::plain,
         .meaning = "1 is round, 0 is a plate, a line or one voxel",
         .formula = "axis3 / axis1",
         .range = "0 to 1",
         .group = "axes",
         .cell = [](const Values& v, std::size_t) { return in_world(v, v.properties.flatness); }},
        {.title = "touches the border",
         .members = {{"touches_border"}},
         .quantity = Quantity::plain,
         .meaning = "1 if the bounding box reaches the border of the volume, else 0",
         .range = "0 or 1",
         .cell = [](const Values& v, std::size_t) { return io::Cell(std::uint64_t(v.properties.touches_border)); }},
        {.title = "wraps around axes",
         .members = {{"wraps"}},
         .quantity = Quantity::plain,
         .meaning = "axes that the component wraps around, such as `xz`, or `none`; with `--periodic`",
         .remark = "A path in the component leads around the axis, back to its start. Measures along these axes are n/a.",
         .range = "text",
         .is_present = with<&ExtraColumns::periodic>,
         .cell = [](const Values& v, std::size_t) { return io::Cell(wrapped_axes(v.properties.wraps)); }},
    };
}

}  // namespace voxcc
