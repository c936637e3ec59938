#include "src/pipeline/labelled_values.h"

#include "src/pipeline/bids.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/label_bits.h"
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

LabelledValues::LabelledValues(const StageResults& results, const LabelOptions& options)
    : results_(results), options_(options), world_(world_of(results.described.info, results.described.units)) {
    const auto& [info, units, connectivity, slices, faces, period] = results.described;
    const LabelledComponents& found = results.labelled;
    if (found.shape || found.shape_of) shapes_.emplace(connectivity, info, found.engine_slices, units);
    values_.space = space_of_components(connectivity, info);
    pixel_ = pixel_area(world_, values_.space, slices.value_or(Axis::z));
    if (results.job.volume) values_.volume = *results.job.volume;
}

void LabelledValues::set_origin(const std::string& file, const std::vector<TableColumn>& columns) {
    values_.file = file;
    for (const TableColumn& column : columns) {
        if (column.family->repeat == ColumnFamily::Members::entities) {
            values_.entities.resize(std::max(values_.entities.size(), column.member + 1));
            values_.entities[column.member] = entity_values(results_.job.input, {column.which}).front();
        }
        if (column.family->repeat == ColumnFamily::Members::further) {
            values_.further.resize(std::max(values_.further.size(), column.member + 1));
            values_.further[column.member] = *find_text(results_.job.cells, column.which);
        }
    }
}

const ComponentValues& LabelledValues::of(std::uint64_t label) {
    const auto& [info, units, connectivity, slices, faces, period] = results_.described;
    const LabelledComponents& found = results_.labelled;
    const MeasuredComponents& measured = results_.measured;
    const auto row = std::size_t(results_.selection.row_of(label));
    const Wrapping wrapping{period, {restore_axes(found.sums.wraps(row).axes, found.engine_slices)}};
    values_.label = label;
    values_.properties = describe(restore_axes(found.sums[row], found.engine_slices), faces, world_, wrapping);
    if (!measured.inside.empty()) set_inside(values_, measured.inside[std::size_t(label - 1)], world_);
    if (pixel_) values_.area = double(values_.properties.voxels) * *pixel_;
    if (options_.signs == LabelOptions::Signs::split) values_.sign = std::int64_t(found.source_values[row]);
    else if (found.source_value) values_.source_label = source_cell(found.source_value(row), info);
    else if (!found.source_values.empty()) values_.source_label = source_cell(found.source_values[row], info);
    values_.images = measured.image_values ? measured.image_values(label, world_, wrapping)
                                           : values_of(measured.images, measured.number_in_images(label), world_, wrapping);
    if (shapes_) values_.shape = shapes_->of(found.shape_of ? found.shape_of(label) : counted_shape(*found.shape, row), values_.properties);
    if (slices) values_.slice = values_.properties.box[std::size_t(*slices) * 2];
    return values_;
}

}  // namespace voxcc
