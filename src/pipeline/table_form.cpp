#include "src/pipeline/table_form.h"

#include "src/errors/program_error.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/same_grid.h"

namespace voxcc {
namespace {

/// Nothing if the file cannot be read, or if no volume of it can be chosen.
std::optional<io::VolumeInfo> description_of(const BatchInput& input, const LabelOptions& options) {
    try {
        const FilesBeside beside = files_beside(options, input);
        io::VolumeInfo info = describe_with_grid(input.name, options.input, beside.paths());
        return info.extent.voxels() > 0 ? std::optional(std::move(info)) : std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

ProgramError two_units(const io::VolumeInfo& a, Units unit_of_a, const io::VolumeInfo& b, Units unit_of_b) {
    return {ErrorKind::invalid_argument, "--units",
            "auto gives " + std::string(name_of(unit_of_a)) + " for " + a.path + " and " + std::string(name_of(unit_of_b)) + " for " +
                b.path + ", but one table has one unit",
            "choose a unit, as in --units um or --units voxel, or write one table per input, as in --stats 'out/{stem}.csv'"};
}

}  // namespace

Spaces spaces_of(Space space) { return {.planes = space == Space::plane, .volumes = space == Space::volume}; }

Units units_for(const std::optional<Units>& wanted, const io::VolumeInfo& info) {
    if (wanted) {
        if (length_unit_of(*wanted)) require_lengths(info, name_of(*wanted));
        return *wanted;
    }
    if (!info.geometry.has_size()) return Units::voxel;
    if (!info.geometry.unit) return Units::unit;
    switch (*info.geometry.unit) {
        case io::LengthUnit::um: return Units::um;
        case io::LengthUnit::nm:
        case io::LengthUnit::angstrom:
        case io::LengthUnit::pm:
        case io::LengthUnit::fm: return Units::nm;
        default: return Units::mm;
    }
}

std::string note_on_lengths(const std::optional<Units>& wanted, const io::VolumeInfo& info) {
    if (wanted) return "";
    const std::string remedy = "; give the size with --spacing";
    if (!info.geometry.has_size()) return "does not state the size of its voxels, so lengths are in voxels" + remedy;
    if (!info.geometry.unit) return "states the size of its voxels in an unknown unit, so columns end in 'unit'" + remedy;
    return "";
}

TableForm form_of(const std::optional<Units>& wanted, const io::VolumeInfo& info, Space space) {
    return {.units = units_for(wanted, info), .spaces = spaces_of(space)};
}

TableForm common_form(const LabelOptions& options) {
    std::optional<io::VolumeInfo> first;
    TableForm form{.units = options.units.value_or(Units::mm), .spaces = {.planes = false, .volumes = false}};
    form.entities = subject_entities(input_names(options.inputs));
    form.further = further_columns(options);
    for (const BatchInput& input : options.inputs) {
        if (chooses_list(input.name, options.input)) form.volume = VolumeColumn::add;
        const auto info = description_of(input, options);
        if (!info) continue;
        const Units units = units_for(options.units, *info);
        if (first && units != form.units) throw two_units(*first, form.units, *info, units);
        if (!first) first = info, form.units = units;
        (options.per_slice || info->extent.nz == 1 ? form.spaces.planes : form.spaces.volumes) = true;
    }
    if (!first) form.spaces = spaces_of(options.per_slice ? Space::plane : Space::volume);
    return form;
}

}  // namespace voxcc
