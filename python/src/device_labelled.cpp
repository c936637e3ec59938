#include "python/src/device_labelled.h"

#include <voxcc/connectivity.h>

#include "python/src/gil.h"
#include "python/src/signals.h"

namespace voxcc::python {

StreamVolume volume_of(const DeviceArray& array, const DeviceVoxels& voxels, const Extent& extent) {
    return {.voxels = reinterpret_cast<const void*>(voxels.address),
            .type = voxels.type,
            .extent = extent,
            .device = array.device,
            .stream = reinterpret_cast<void*>(array.stream)};
}

DeviceLabelled::DeviceLabelled(const DeviceArray& array, const DeviceVoxels* mask, const Options& options)
    : Components(Axes(array.shape, array.layout, options.slice_axis), int(array.shape.size()), array.type, options), array_(array) {
    const WithoutGil no_gil;
    const StreamMask stream_mask = mask ? StreamMask{reinterpret_cast<const void*>(mask->address), mask->type} : StreamMask();
    labelling_ = label_on_stream(volume_of(array, {array.address, array.type}, axes().extent), question_of(axes(), array.type, options),
                                 stream_mask);
}

void DeviceLabelled::paint(std::uintptr_t address, ScalarType type, Painted painted) {
    const WithoutGil no_gil;
    paint_with(painted,
               [&](const std::vector<std::uint64_t>& numbers) { labelling_->paint(reinterpret_cast<void*>(address), type, numbers); });
}

void DeviceLabelled::paint_and_measure(std::uintptr_t address, ScalarType type) {
    const WithoutGil no_gil;
    set_sums(labelling_->paint_and_measure(reinterpret_cast<void*>(address), type));
}

void DeviceLabelled::paint_numbers(std::uintptr_t address, ScalarType type, std::span<const std::uint64_t> numbers) {
    const WithoutGil no_gil;
    labelling_->paint(reinterpret_cast<void*>(address), type, composed_with(numbers));
}

std::unique_ptr<StreamCount> DeviceLabelled::send_count() { return labelling_->send_count(); }

void DeviceLabelled::add_intensity(Columns& columns, const DeviceVoxels& intensity) {
    IntensitySums sums(intensity.type, Powers::two);
    {
        const WithoutGil no_gil;
        const Extent& e = axes().extent;
        const auto source = rows_on_stream(volume_of(array_, intensity, e));
        Signals signals;
        InterruptibleSource rows(*source, signals);
        std::vector<std::uint64_t> numbers = final_numbers();
        std::optional<KeptSections> kept;
        if (const Sections* const sections = labelling_->sections()) kept = keep_sections(*sections, numbers, count());
        if (kept) numbers = kept->final_numbers;
        std::vector<std::byte> buffer;
        std::vector<std::uint64_t> row_labels(static_cast<std::size_t>(e.nx));
        labelling_->visit_sections([&](RowRange window, const std::uint32_t* labels) {
            for (std::int64_t row = window.first; row < window.end(); ++row, labels += e.nx) {
                std::transform(labels, labels + e.nx, row_labels.begin(), [&](std::uint32_t label) {
                    return label == 0 || numbers.empty() ? std::uint64_t{label} : numbers[label - 1];
                });
                const std::byte* const values = rows.values(rows.fetch({row, 1}, buffer), {row, 1}, 0);
                sums.add_row<std::uint64_t>(row % e.ny, row / e.ny, row_labels, {values, std::size_t(e.nx * size_of(intensity.type))});
            }
        });
        if (kept) sums.unwrap(kept->sections, e);
    }
    add_intensities(
        columns, "intensity", sums, [this](std::size_t row) { return numbered(row); }, axes(), dimensions());
}

nb::dict DeviceLabelled::table(const Spacing& spacing, const DeviceVoxels* intensity) {
    Columns columns = Components::table(spacing);
    if (intensity) add_intensity(columns, *intensity);
    return columns.dict();
}

}  // namespace voxcc::python
