#include "src/pipeline/label_table.h"

#include <voxcc/label.h>
#include "src/messages/report.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/kept_components.h"
#include "src/pipeline/labelled_values.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"

#include <algorithm>
#include <numeric>

namespace voxcc {

std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, const TableForm& form) {
    std::vector<TableColumn> columns = table_columns(label_extras(options, merged, form));
    const TableChoice choice = choice_for(options.table, options.stats, columns);
    return chosen(std::move(columns), choice);
}

ExtraColumns label_extras(const LabelOptions& options, Merged merged, const TableForm& form) {
    return with_images(options.intensity, {.inside = options.inside == Inside::find,
                                           .source_label = options.mode == LabelOptions::Mode::multilabel,
                                           .sign = options.signs == LabelOptions::Signs::split,
                                           .periodic = !options.periodic.empty(),
                                           .file = merged == Merged::yes,
                                           .volume = form.volume == VolumeColumn::add,
                                           .slice = options.per_slice.has_value(),
                                           .shape = options.shape == Shape::measure,
                                           .bids = options.bids == LabelOptions::Bids::write,
                                           .form = form});
}

void check_table_options(const LabelOptions& o) {
    if (!o.keep.empty()) check_condition(o.keep, "--keep", label_extras(o, Merged::no, {.volume = VolumeColumn::add}));
    const Merged merged = is_common_output(o.stats, o) ? Merged::yes : Merged::no;
    if (!o.table.columns.empty())
        check_columns(o.table,
                      label_extras(o, merged, {.volume = VolumeColumn::add, .entities = known_entities(), .further = further_columns(o)}));
    if (io::is_anndata_path(o.stats)) check_component_output(o.stats, o.table, label_extras(o, merged, {.further = further_columns(o)}));
}

bool has_table(const LabelOptions& o) {
    return !o.stats.empty() || !o.summary.empty() || !o.contacts.empty() || !o.intensity.local_maxima.empty();
}

VolumeSummary summary_of(const LabelledVolume& v, const TableForm& form) {
    const DescribedVolume& described = v.described;
    VolumeSummary summary{.file = v.job.input, .volume = v.job.volume, .sizes = {}};
    for (std::uint64_t label = 1; label <= v.selection.count; ++label)
        summary.sizes.push_back(v.labelled.sums.voxels(std::size_t(v.selection.row_of(label))));
    summary.space = space_of_components(described.connectivity, described.info);
    const std::uint64_t voxels = std::accumulate(summary.sizes.begin(), summary.sizes.end(), std::uint64_t{0});
    if (const auto world = world_of(described.info, form.units))
        summary.size = double(voxels) * voxel_size(*world, summary.space, described.slices.value_or(Axis::z));
    summary.foreground = v.labelled.foreground;
    summary.further = texts_of(v.job.cells, form.further);
    summary.voxels_in_volume = std::uint64_t(described.info.extent.voxels());
    return summary;
}

TableForm form_of(const LabelOptions& options, std::span<const LabelledVolume> volumes) {
    const LabelledVolume& first = volumes.front();
    const DescribedVolume& described = first.described;
    TableForm form = form_of(options.units, described.info, space_of_components(described.connectivity, described.info));
    if (first.job.volume) form.volume = VolumeColumn::add;
    form.further = further_columns(options);
    return form;
}

void add_rows(const LabelledVolume& v, const LabelOptions& options, const std::vector<TableColumn>& columns, ComponentOutput& table) {
    LabelledValues values({v.job, v.described, v.labelled, v.selection, v.measured}, options);
    values.set_origin(options.stats == "-" ? as_stdout_shows(v.job.input) : v.job.input, columns);
    for (std::uint64_t label = 1; label <= v.selection.count; ++label) table.row(values.of(label));
}

}  // namespace voxcc
