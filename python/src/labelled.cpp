#include "python/src/labelled.h"

#include "python/src/gil.h"

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

template <class Number>
void Labelled::add_rows(IntensitySums& sums, RowSource& image, RowRange rows) const {
    const Extent& e = axes().extent;
    std::vector<Number> numbers(static_cast<std::size_t>(e.nx));
    std::vector<std::byte> buffer;
    for (std::int64_t r = rows.first; r < rows.end(); ++r) {
        const RowRange row{r, 1};
        const std::byte* const values = image.values(image.fetch(row, buffer), row, 0);
        labelling_->paint(row, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
        sums.add_row<Number>(r % e.ny, r / e.ny, numbers, {values, std::size_t(e.nx * size_of(image.value_type()))});
    }
}

IntensitySums Labelled::intensity_sums(const Array& intensity) {
    const ForegroundPacker packer(intensity.type(), {});
    StridedSource source(axes().view_of(intensity), packer, intensity.storage());
    Signals signals;
    InterruptibleSource image(source, signals);
    const Sections* const sections = labelling_->sections();
    const std::optional<KeptSections> kept = sections ? std::optional(keep_sections(*sections, final_numbers(), count())) : std::nullopt;
    const std::uint64_t largest = kept ? kept->sections.count() : count();
    const bool is_narrow = largest < std::uint64_t{1} << 32;
    const ScalarType type = is_narrow ? ScalarType::u32 : ScalarType::u64;
    if (kept) labelling_->prepare_sections(type, kept->final_numbers);
    else labelling_->prepare_paint(type, final_numbers());

    // Each thread has its own sums, as long as they need less memory than the image.
    IntensitySums sums(intensity.type(), Powers::two);
    const std::int64_t rows = axes().extent.rows();
    const auto of_thread = std::int64_t(largest * sums.bytes_per_component());
    const std::int64_t parts = std::min({std::int64_t(threads()), rows, 1 + intensity.bytes() / std::max<std::int64_t>(1, of_thread)});
    std::vector<IntensitySums> of_parts(std::size_t(parts), sums);
    pool_.for_each(parts, [&](std::int64_t part) {
        const std::int64_t first = rows * part / parts;
        const RowRange range{first, rows * (part + 1) / parts - first};
        of_parts[std::size_t(part)].reserve(largest);
        if (is_narrow) add_rows<std::uint32_t>(of_parts[std::size_t(part)], image, range);
        else add_rows<std::uint64_t>(of_parts[std::size_t(part)], image, range);
    });
    sums = std::move(of_parts.front());
    for (std::size_t part = 1; part < of_parts.size(); ++part)
        for (std::uint64_t component = 1; component <= largest; ++component) sums.add(component, of_parts[part], component);
    if (kept) sums.unwrap(kept->sections, axes().extent);
    return sums;
}

void Labelled::add_intensity(Columns& columns, const Array& intensity) {
    const IntensitySums sums = [&] {
        const WithoutGil no_gil;
        return intensity_sums(intensity);
    }();
    add_intensities_to(columns, sums);
}

nb::dict Labelled::table(const Spacing& spacing, const Array* intensity) {
    Columns columns = Components::table(spacing);
    if (intensity) add_intensity(columns, *intensity);
    return columns.dict();
}

}  // namespace voxcc::python
