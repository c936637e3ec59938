#include "src/pipeline/columns.h"

namespace voxcc {
namespace {

using Values = ComponentValues;

std::vector<ColumnFamily> voxel_inside() {
    return {{.title = "voxel inside",
             .members = {{"inside_i", "i"}, {"inside_j", "j"}, {"inside_k", "k"}},
             .quantity = Quantity::voxels,
             .meaning = "a voxel of the component, also if the centroid is outside",
             .remark = "The middle voxel of the run of voxels along i that contains the middle voxel of the component in raster order.",
             .range = "index",
             .is_present = with<&ExtraColumns::inside>,
             .cell = [](const Values& v, std::size_t at) { return v.inside ? io::Cell((*v.inside)[at]) : io::Cell(); }},
            {.title = "position of the voxel inside",
             .members = {{"inside_x", "x"}, {"inside_y", "y"}, {"inside_z", "z"}},
             .quantity = Quantity::length,
             .meaning = "position of this voxel",
             .formula = "A (voxel)",
             .is_present = with<&ExtraColumns::inside>,
             .cell = [](const Values& v, std::size_t at) { return v.inside ? in_world(v, v.inside_mm[at]) : io::Cell(); }}};
}

std::vector<ColumnFamily> value() {
    return {{.title = "value",
             .members = {{"source_label"}},
             .quantity = Quantity::plain,
             .meaning = "value that all voxels of the component share, with slope and intercept",
             .range = "value of the image",
             .is_brief = true,
             .is_present = with<&ExtraColumns::source_label>,
             .cell = [](const Values& v, std::size_t) { return v.source_label; },
             .infinite = ColumnFamily::Infinite::value},
            {.title = "sign",
             .members = {{"sign"}},
             .quantity = Quantity::plain,
             .meaning = "sign of all values of the component, with slope and intercept",
             .range = "-1 or 1",
             .is_present = with<&ExtraColumns::sign>,
             .cell = [](const Values& v, std::size_t) { return v.sign; }}};
}

std::vector<ColumnFamily> origin() {
    return {
        {.title = "file",
         .members = {{"file"}},
         .quantity = Quantity::plain,
         .meaning = "path as it was typed; with several inputs and one table",
         .range = "text",
         .is_brief = true,
         .is_present = with<&ExtraColumns::file>,
         .cell = [](const Values& v, std::size_t) { return v.file; }},
        {.title = "entity of BIDS",
         .members = {{"sub"}},
         .quantity = Quantity::plain,
         .meaning = "entities of BIDS in the path, such as `sub` and `ses`; with several inputs and one table",
         .range = "text",
         .is_brief = true,
         .is_present = [](const ExtraColumns& extras) { return !extras.form.entities.empty(); },
         .cell = [](const Values& v, std::size_t at) { return v.entities[at] ? io::Cell(*v.entities[at]) : io::Cell(); },
         .repeat = ColumnFamily::Members::entities},
        {.title = "column of the list",
         .members = {{"group"}},
         .quantity = Quantity::plain,
         .meaning = "further columns of a list of `--list`, under their own names",
         .range = "text of the list",
         .is_brief = true,
         .is_present = [](const ExtraColumns& extras) { return !extras.form.further.empty(); },
         .cell = [](const Values& v, std::size_t at) { return io::Cell(v.further[at]); },
         .repeat = ColumnFamily::Members::further},
        {.title = "volume of the file",
         .members = {{"volume"}},
         .quantity = Quantity::plain,
         .meaning = "index of the 3D volume in the file, from 0; with `--volume all` or a range",
         .range = "integer",
         .is_brief = true,
         .is_present = with<&ExtraColumns::volume>,
         .cell = [](const Values& v, std::size_t) { return v.volume; }},
        {.title = "slice",
         .members = {{"slice"}},
         .quantity = Quantity::plain,
         .meaning = "index of the slice along the axis of `--per-slice`, from 0",
         .range = "integer",
         .is_brief = true,
         .is_present = with<&ExtraColumns::slice>,
         .cell = [](const Values& v, std::size_t) { return v.slice; }},
    };
}

}  // namespace

UnitText unit_of(Quantity quantity, Units units) {
    const std::string length(name_of(units));
    switch (quantity) {
        case Quantity::plain: return {};
        case Quantity::voxels: return {"voxels", "voxel"};
        case Quantity::squared_voxels: return {"voxels^2", "voxel^2"};
        case Quantity::length: return {length, length};
        case Quantity::area: return {length + "2", length + "^2"};
        case Quantity::volume: return {length + "3", length + "^3"};
        case Quantity::image: return {"image", "arbitrary"};
    }
    return {};
}

const std::vector<ColumnSection>& column_sections() {
    static const std::vector<ColumnSection> sections{{"Size and position", columns_of_size_and_position()},
                                                     {"Shape from second moments", columns_of_second_moments()},
                                                     {"Voxel inside, with `--inside`", voxel_inside()},
                                                     {"Value, with `label --multilabel`", value()},
                                                     {"Intensity, with `--intensity IMAGE`", columns_of_intensity()},
                                                     {"Shape, with `--shape`", columns_of_shape()},
                                                     {"Origin of a row", origin()}};
    return sections;
}

std::string name_of(const ColumnFamily& family, const ColumnFamily::Member& member, Units units) {
    const bool is_measured =
        family.quantity == Quantity::length || family.quantity == Quantity::area || family.quantity == Quantity::volume;
    return std::string(member.stem) + (is_measured ? "_" + unit_of(family.quantity, units).page : "");
}

}  // namespace voxcc
