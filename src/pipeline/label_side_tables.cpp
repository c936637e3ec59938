#include "src/pipeline/label_side_tables.h"

#include "src/messages/report.h"
#include "src/pipeline/device.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/side_tables.h"

namespace voxcc {
namespace {

OriginColumns origin_of(const LabelOptions& options, Merged merged) {
    return {.file = merged == Merged::yes, .volume = options.input.volume == "all"};
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

std::vector<std::string> columns_of(SideTable table, const LabelOptions& options, Merged merged, Units units) {
    const OriginColumns origin = origin_of(options, merged);
    if (table == SideTable::contacts) return contact_columns(contact_columns_of(options), origin, units);
    return local_maxima_columns(options.intensity, origin, units);
}

void add_rows(SideTable table, const LabelledVolume& v, const LabelOptions& options, Merged merged, io::TableWriter& writer) {
    const OriginColumns origin = origin_of(options, merged);
    OriginCells cells;
    cells.file = path_of(table, options) == "-" ? as_stdout_shows(v.job.input) : v.job.input;
    if (v.job.volume) cells.volume = *v.job.volume;
    const auto world = world_of(v.info, v.units);
    if (table == SideTable::contacts)
        return add_contacts({v.contacts, ScalarType::u64, v.contact_connectivity, world}, contact_columns_of(options), origin, cells,
                            writer);
    for (const MeasuredImage& image : v.images)
        for (std::uint64_t label = 1; label <= v.selection.count; ++label)
            add_local_maxima(image, label, label, world, options.intensity, origin, cells, writer);
}

}  // namespace voxcc
