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
    for_each_painted_row(row);
}

void Labelled::for_each_painted_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row) {
    const Extent& e = axes().extent;
    Signals signals;
    std::vector<std::uint64_t> labels(static_cast<std::size_t>(e.nx));
    for (std::int64_t r = 0; r < e.rows(); ++r) {
        signals.check();
        labelling_->paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        row(r % e.ny, r / e.ny, labels);
    }
}

void Labelled::add_intensity(Columns& columns, const Array& intensity) {
    IntensitySums sums(intensity.type());
    {
        const WithoutGil no_gil;
        const ForegroundPacker packer(intensity.type(), {});
        StridedSource source(axes().view_of(intensity), packer, intensity.storage());
        const Extent& e = axes().extent;
        std::optional<KeptSections> kept;
        if (const Sections* const sections = labelling_->sections()) kept = keep_sections(*sections, final_numbers(), count());
        if (kept) labelling_->prepare_sections(ScalarType::u64, kept->final_numbers);
        else labelling_->prepare_paint(ScalarType::u64, final_numbers());
        std::vector<std::byte> buffer;
        for_each_painted_row([&](std::int64_t y, std::int64_t z, std::span<const std::uint64_t> numbers) {
            const RowRange row{z * e.ny + y, 1};
            const std::byte* const values = source.values(source.fetch(row, buffer), row, 0);
            sums.add_row(y, z, numbers, {values, std::size_t(e.nx * size_of(intensity.type()))});
        });
        if (kept) sums.unwrap(kept->sections, e);
    }
    add_intensities_to(columns, sums);
}

nb::dict Labelled::table(const Spacing& spacing, const Array* intensity) {
    Columns columns = Components::table(spacing);
    if (intensity) add_intensity(columns, *intensity);
    return columns.dict();
}

}  // namespace voxcc::python
