#include "python/src/labelled.h"

#include "python/src/gil.h"
#include "python/src/shape_columns.h"

#include <voxcc/connectivity.h>
#include <voxcc/measure.h>

namespace voxcc::python {

Labelled::Labelled(const Array& voxels, const Array* mask, const Options& options)
    : Components(Axes(voxels, options.order, options.slice_axis), voxels.dimensions(), voxels.type(), options), pool_(threads()) {
    const WithoutGil no_gil;
    const ForegroundPacker packer(voxels.type(), options.question.foreground);
    StridedSource source(axes().view_of(voxels), packer, voxels.storage());
    std::optional<ForegroundPacker> mask_packer;
    std::optional<StridedSource> mask_source;
    std::optional<MaskedSource> masked;
    if (mask) {
        mask_packer.emplace(mask->type(), ForegroundRule{});
        mask_source.emplace(axes().view_of(*mask), *mask_packer, mask->storage());
        masked.emplace(source, *mask_source);
    }
    Signals signals;
    InterruptibleSource rows(mask ? static_cast<RowSource&>(*masked) : source, signals);
    labelling_ = label(rows, axes().extent, question_of(axes(), voxels.type(), options), {.pool = &pool_});
    nan_voxels_ = source.nan_voxels();
    if (axes().numbering == Axes::Numbering::reversed) set_numbers(labelling_->numbers_with_x_slowest());
}

void Labelled::paint_as(const Array& labels, std::span<const std::uint64_t> numbers) {
    const LabelView view{labels.data(), labels.type(), axes().strides_of(labels)};
    Signals signals;
    voxcc::paint(*labelling_, axes().extent, view, numbers, pool_, [&] { signals.check(); });
}

void Labelled::paint(const Array& labels, Painted painted) {
    const WithoutGil no_gil;
    paint_with(painted, [&](const std::vector<std::uint64_t>& numbers) { paint_as(labels, numbers); });
}

void Labelled::paint(const Array& labels, std::span<const std::uint64_t> numbers) {
    const WithoutGil no_gil;
    paint_as(labels, composed_with(numbers));
}

void Labelled::for_each_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row) {
    labelling_->prepare_paint(ScalarType::u64, final_numbers());
    const Extent& e = axes().extent;
    Signals signals;
    std::vector<std::uint64_t> labels(static_cast<std::size_t>(e.nx));
    for (std::int64_t r = 0; r < e.rows(); ++r) {
        signals.check();
        labelling_->paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        row(r % e.ny, r / e.ny, labels);
    }
}

void Labelled::require_seeds(const Array& voxels, const ForegroundRule& rule) {
    const ForegroundPacker packer(voxels.type(), rule);
    StridedSource source(axes().view_of(voxels), packer, voxels.storage());
    Signals signals;
    InterruptibleSource rows(source, signals);
    const std::vector<std::uint64_t> own_numbers;
    const Painter labels(*labelling_, axes().extent, Axis::z, ScalarType::u64, own_numbers, pool_);
    set_marks(components_with(labels, labelling_->count(), axes().extent, rows, pool_));
}

template <class Number>
void Labelled::add_rows(std::vector<IntensitySums>& sums, std::span<RowSource* const> images, RowRange rows) const {
    const Extent& e = axes().extent;
    std::vector<Number> numbers(static_cast<std::size_t>(e.nx));
    std::vector<std::byte> buffer;
    for (std::int64_t r = rows.first; r < rows.end(); ++r) {
        const RowRange row{r, 1};
        labelling_->paint(row, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
        for (std::size_t i = 0; i < images.size(); ++i) {
            const std::byte* const values = images[i]->values(images[i]->fetch(row, buffer), row, 0);
            sums[i].add_row<Number>(r % e.ny, r / e.ny, numbers, {values, std::size_t(e.nx * size_of(images[i]->value_type()))});
        }
    }
}

std::vector<MeasuredImage> Labelled::measure(const Images& images) {
    Signals signals;
    ArrayRows sources(images.arrays(), axes(), signals);
    const Sections* const sections = labelling_->sections();
    const std::optional<KeptSections> kept = sections ? std::optional(keep_sections(*sections, final_numbers(), count())) : std::nullopt;
    const std::uint64_t largest = kept ? kept->sections.count() : count();
    const bool is_narrow = largest < std::uint64_t{1} << 32;
    const ScalarType type = is_narrow ? ScalarType::u32 : ScalarType::u64;
    if (kept) labelling_->prepare_sections(type, kept->final_numbers);
    else labelling_->prepare_paint(type, final_numbers());

    // Each thread has its own sums, as long as they need less memory than the images.
    std::vector<IntensitySums> sums;
    std::int64_t bytes = 0, of_thread = 0;
    for (const Images::Image& image : images.images) {
        sums.emplace_back(image.values->type(), Powers::two);
        bytes += image.values->bytes();
        of_thread += std::int64_t(largest * sums.back().bytes_per_component());
    }
    const std::int64_t rows = axes().extent.rows();
    const std::int64_t parts = std::min({std::int64_t(threads()), rows, 1 + bytes / std::max<std::int64_t>(1, of_thread)});
    std::vector<std::vector<IntensitySums>> of_parts(std::size_t(parts), sums);
    pool_.for_each(parts, [&](std::int64_t part) {
        const std::int64_t first = rows * part / parts;
        const RowRange range{first, rows * (part + 1) / parts - first};
        std::vector<IntensitySums>& of_part = of_parts[std::size_t(part)];
        for (IntensitySums& of_image : of_part) of_image.reserve(largest);
        if (is_narrow) add_rows<std::uint32_t>(of_part, sources.rows(), range);
        else add_rows<std::uint64_t>(of_part, sources.rows(), range);
    });
    std::vector<MeasuredImage> values;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = std::move(of_parts.front()[i]);
        for (std::size_t part = 1; part < of_parts.size(); ++part)
            for (std::uint64_t component = 1; component <= largest; ++component) sums[i].add(component, of_parts[part][i], component);
        if (kept) sums[i].unwrap(kept->sections, axes().extent);
        values.push_back({images.images[i].name, std::move(sums[i]), std::nullopt});
    }
    if (!images.percents.empty()) labelling_->prepare_paint(ScalarType::u64, final_numbers());
    add_percentiles(values, images, count(), axes(), [this](std::int64_t row, std::span<std::uint64_t> numbers) {
        labelling_->paint({row, 1}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
    });
    return values;
}

void Labelled::add_shape_to(Columns& columns, const Spacing& spacing) {
    const ShapeFrame frame(axes(), dimensions(), options().slice_axis, spacing);
    ShapeTable shapes;
    {
        const WithoutGil no_gil;
        shapes = measure_shape(*labelling_, {question_of(axes(), type(), options()), axes().extent, frame.engine_world()}, sums(), pool_);
    }
    add_shape(
        columns, shapes,
        [this](std::size_t row) {
            return ShapedComponent{measured(row), row_of(row + 1)};
        },
        frame);
}

nb::dict Labelled::table(const Spacing& spacing, const Images& images, Shape shape) {
    Columns columns = Components::table(spacing);
    if (!images.images.empty()) {
        const std::vector<MeasuredImage> values = [&] {
            const WithoutGil no_gil;
            return measure(images);
        }();
        add_images(
            columns, values, images.percents, [this](std::size_t row) { return numbered(row); }, axes(), dimensions());
    }
    if (shape == Shape::measure) add_shape_to(columns, spacing);
    return columns.dict();
}

}  // namespace voxcc::python
