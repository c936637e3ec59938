#include "src/pipeline/label_table.h"

#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/painter.h"
#include "src/pipeline/shape_values.h"

#include <algorithm>
#include <bit>

namespace voxcc {
namespace {

/// The stored value of the voxels of a multi-label component. @param bits see block_runs::Labelling::source_values()
io::Cell source_cell(std::uint64_t bits, ScalarType type) {
    switch (type) {
        case ScalarType::f32: return double(std::bit_cast<float>(std::uint32_t(bits)));
        case ScalarType::f64: return std::bit_cast<double>(bits);
        case ScalarType::u64: return bits;
        default: return std::int64_t(bits);
    }
}

/// The space of the shapes of a table.
std::optional<Space> space_of_shapes(const LabelOptions& options, std::span<const LabelledVolume> volumes) {
    if (options.shape == Shape::skip) return std::nullopt;
    const bool planes = !volumes.empty() && std::ranges::all_of(volumes, [](const LabelledVolume& v) {
        return space_of_components(v.connectivity, v.info) == Space::plane;
    });
    return options.per_slice || planes ? Space::plane : Space::volume;
}

}  // namespace

std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, std::span<const LabelledVolume> volumes) {
    return table_columns(with_images(options.intensity, {.source_label = options.mode == LabelOptions::Mode::multilabel,
                                                         .sign = options.signs == LabelOptions::Signs::split,
                                                         .file = merged == Merged::yes,
                                                         .volume = options.input.volume == "all",
                                                         .slice = options.per_slice.has_value(),
                                                         .shape = space_of_shapes(options, volumes)}));
}

void add_rows(const LabelledVolume& v, const LabelOptions& options, const std::vector<TableColumn>& columns, io::TableWriter& table) {
    const auto world = world_of(v.info);
    ComponentValues values;
    values.file = options.stats == "-" ? as_stdout_shows(v.job.input) : v.job.input;
    if (v.job.volume) values.volume = *v.job.volume;
    std::optional<ShapeValues> shapes;
    if (v.shape) shapes.emplace(*v.shape, v.connectivity, v.info, v.engine_slices);
    if (shapes) values.space = shapes->space();
    for (std::uint64_t label = 1; label <= v.selection.count; ++label) {
        const std::size_t row = std::size_t(v.selection.row_of(label));
        values.label = label;
        values.properties = describe(restore_axes(v.sums[row], v.engine_slices), v.faces, world);
        if (options.signs == LabelOptions::Signs::split) values.sign = std::int64_t(v.source_values[row]);
        else if (!v.source_values.empty()) values.source_label = source_cell(v.source_values[row], v.info.type);
        values.images = values_of(v.images, label, world);
        if (shapes) values.shape = shapes->of(row, values.properties);
        if (v.slices) values.slice = values.properties.box[std::size_t(*v.slices) * 2];
        table.row(component_row(columns, values));
    }
}

}  // namespace voxcc
