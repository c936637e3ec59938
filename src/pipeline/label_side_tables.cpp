#include "src/pipeline/label_side_tables.h"

#include "src/messages/report.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/contacts.h"
#include "src/pipeline/device.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/side_tables.h"

namespace voxcc {
namespace {

OriginColumns origin_of(const SideTableForm& form) {
    return {.file = form.merged == Merged::yes,
            .volume = form.table.volume == VolumeColumn::add,
            .entities = form.table.entities,
            .further = form.table.further};
}

ContactColumns contact_columns_of(const LabelOptions& options) {
    const bool faces_only = rule_of(options) != Rule::foreground && (options.connectivity == 4 || options.connectivity == 6);
    return faces_only ? ContactColumns::faces : ContactColumns::all;
}

}  // namespace

std::string option_of(SideTable table) { return table == SideTable::contacts ? "--contacts" : "--local-maxima"; }

const std::string& path_of(SideTable table, const LabelOptions& options) {
    return table == SideTable::contacts ? options.contacts : options.intensity.local_maxima;
}

std::vector<std::string> columns_of(SideTable table, const LabelOptions& options, const SideTableForm& form) {
    const OriginColumns origin = origin_of(form);
    if (table == SideTable::contacts) return contact_columns(contact_columns_of(options), origin, form.table.units);
    return local_maxima_columns(options.intensity, origin, form.table.units);
}

void add_rows(SideTable table, const LabelledVolume& v, const LabelOptions& options, const SideTableForm& form, io::TableWriter& writer) {
    const OriginColumns origin = origin_of(form);
    OriginCells cells;
    cells.file = path_of(table, options) == "-" ? as_stdout_shows(v.job.input) : v.job.input;
    if (v.job.volume) cells.volume = *v.job.volume;
    cells.entities = entity_values(v.job.input, origin.entities);
    cells.further = texts_of(v.job.cells, origin.further);
    const auto world = world_of(v.described.info, v.described.units);
    if (table == SideTable::contacts) {
        const Connectivity counted = contact_connectivity(rule_of(options), v.described.connectivity);
        return add_contacts({v.measured.contacts, ScalarType::u64, counted, world}, contact_columns_of(options), origin, cells, writer);
    }
    for (const MeasuredImage& image : v.measured.images)
        for (std::uint64_t label = 1; label <= v.selection.count; ++label)
            add_local_maxima(image, v.measured.number_in_images(label), label, world, options.intensity, origin, cells, writer);
}

}  // namespace voxcc
