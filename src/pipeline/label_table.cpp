#include "src/pipeline/label_table.h"

#include <voxcc/label.h>
#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace voxcc {
namespace {

/// The stored value of the voxels of a multi-label component. @param bits see Labelling::source_values()
io::Cell stored_cell(std::uint64_t bits, ScalarType type) {
    switch (type) {
        case ScalarType::f32: return double(std::bit_cast<float>(std::uint32_t(bits)));
        case ScalarType::f64: return std::bit_cast<double>(bits);
        case ScalarType::u64: return bits;
        default: return std::int64_t(bits);
    }
}

/// The value of the voxels of a multi-label component, with slope and intercept. A whole number is the label of `voxcc stats`.
io::Cell source_cell(std::uint64_t bits, const io::VolumeInfo& info) {
    const io::Cell stored = stored_cell(bits, info.type);
    if (info.scaling.is_identity()) return stored;
    const double number = std::visit(
        []<class T>(const T& cell) {
            if constexpr (std::is_arithmetic_v<T>) return double(cell);
            else return std::numeric_limits<double>::quiet_NaN();
        },
        stored);
    const double value = number * info.scaling.slope + info.scaling.intercept;
    const std::optional<double> label = whole_label(value, info.scaling);
    return label ? io::Cell(std::int64_t(*label)) : io::Cell(value);
}

}  // namespace

std::vector<TableColumn> label_columns(const LabelOptions& options, Merged merged, const TableForm& form) {
    return table_columns(with_images(options.intensity, {.inside = options.inside == Inside::find,
                                                         .source_label = options.mode == LabelOptions::Mode::multilabel,
                                                         .sign = options.signs == LabelOptions::Signs::split,
                                                         .periodic = !options.periodic.empty(),
                                                         .file = merged == Merged::yes,
                                                         .volume = form.volume == VolumeColumn::add,
                                                         .slice = options.per_slice.has_value(),
                                                         .shape = options.shape == Shape::measure,
                                                         .bids = options.bids == LabelOptions::Bids::write,
                                                         .form = form}));
}

TableForm form_of(const LabelOptions& options, std::span<const LabelledVolume> volumes) {
    const LabelledVolume& first = volumes.front();
    const DescribedVolume& described = first.described;
    TableForm form = form_of(options.units, described.info, space_of_components(described.connectivity, described.info));
    if (first.job.volume) form.volume = VolumeColumn::add;
    return form;
}

void add_rows(const LabelledVolume& v, const LabelOptions& options, const std::vector<TableColumn>& columns, io::TableWriter& table) {
    const auto& [info, units, connectivity, slices, faces, period] = v.described;
    const LabelledComponents& found = v.labelled;
    const MeasuredComponents& measured = v.measured;
    const auto world = world_of(info, units);
    ComponentValues values;
    values.file = options.stats == "-" ? as_stdout_shows(v.job.input) : v.job.input;
    if (v.job.volume) values.volume = *v.job.volume;
    std::optional<ShapeValues> shapes;
    if (found.shape || found.shape_of) shapes.emplace(connectivity, info, found.engine_slices, units);
    values.space = space_of_components(connectivity, info);
    const auto pixel = pixel_area(world, values.space, slices.value_or(Axis::z));
    for (std::uint64_t label = 1; label <= v.selection.count; ++label) {
        const std::size_t row = std::size_t(v.selection.row_of(label));
        const Wrapping wrapping{period, {restore_axes(found.sums.wraps(row).axes, found.engine_slices)}};
        values.label = label;
        values.properties = describe(restore_axes(found.sums[row], found.engine_slices), faces, world, wrapping);
        if (!measured.inside.empty()) set_inside(values, measured.inside[std::size_t(label - 1)], world);
        if (pixel) values.area = double(values.properties.voxels) * *pixel;
        if (options.signs == LabelOptions::Signs::split) values.sign = std::int64_t(found.source_values[row]);
        else if (found.source_value) values.source_label = source_cell(found.source_value(row), info);
        else if (!found.source_values.empty()) values.source_label = source_cell(found.source_values[row], info);
        values.images =
            measured.image_values ? measured.image_values(label, world, wrapping) : values_of(measured.images, label, world, wrapping);
        if (shapes) values.shape = shapes->of(found.shape_of ? found.shape_of(label) : counted_shape(*found.shape, row), values.properties);
        if (slices) values.slice = values.properties.box[std::size_t(*slices) * 2];
        table.row(component_row(columns, values));
    }
}

}  // namespace voxcc
