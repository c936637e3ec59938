#include "python/src/images.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace voxcc::python {

Images Images::of(nb::handle images, nb::handle percents) {
    Images result;
    for (const nb::handle image : images)
        result.images.push_back({nb::cast<std::string>(image[0]), std::make_unique<Array>(image[1], Array::Use::read)});
    for (const nb::handle percent : percents) result.percents.push_back({nb::cast<std::string>(percent[0]), nb::cast<double>(percent[1])});
    return result;
}

std::vector<const Array*> Images::arrays() const {
    std::vector<const Array*> arrays;
    for (const Image& image : images) arrays.push_back(image.values.get());
    return arrays;
}

struct ArrayRows::Source {
    ForegroundPacker packer;
    StridedSource strided;
    InterruptibleSource rows;
    Source(const Array& array, const Axes& axes, Signals& signals)
        : packer(array.type(), {}), strided(axes.view_of(array), packer, array.storage()), rows(strided, signals) {}
};

ArrayRows::ArrayRows(const std::vector<const Array*>& arrays, const Axes& axes, Signals& signals) {
    for (const Array* const array : arrays) {
        sources_.push_back(std::make_unique<Source>(*array, axes, signals));
        rows_.push_back(&sources_.back()->rows);
    }
}

ArrayRows::~ArrayRows() = default;

Percentiles percentiles_of(const Array& image, const std::vector<Images::Percent>& percents, const IntensitySums& sums,
                           std::uint64_t components, const Axes& axes, const NumberRow& numbers) {
    constexpr std::int64_t least = 1 << 20, most = std::int64_t{1} << 28;
    std::vector<double> values;
    for (const Images::Percent& percent : percents) values.push_back(percent.percent);
    std::vector<StoredRange> ranges(components);
    for (std::uint64_t component = 1; component <= components; ++component) ranges[component - 1] = sums.stored_range(component);
    Percentiles percentiles(image.type(), values, ranges, {}, std::clamp(image.bytes(), least, most));

    Signals signals;
    const ArrayRows sources({&image}, axes, signals);
    RowSource& rows = *sources.rows().front();
    const Extent& e = axes.extent;
    std::vector<std::uint64_t> row_numbers(static_cast<std::size_t>(e.nx));
    std::vector<std::byte> buffer;
    while (percentiles.begin_pass()) {
        for (std::int64_t row = 0; row < e.rows(); ++row) {
            numbers(row, row_numbers);
            const std::byte* const stored = rows.values(rows.fetch({row, 1}, buffer), {row, 1}, 0);
            percentiles.add_row<std::uint64_t>(row_numbers, {stored, std::size_t(e.nx * size_of(image.type()))});
        }
        percentiles.end_pass();
    }
    return percentiles;
}

void add_percentiles(std::vector<MeasuredImage>& measured, const Images& images, std::uint64_t components, const Axes& axes,
                     const NumberRow& numbers) {
    if (images.percents.empty()) return;
    for (std::size_t i = 0; i < measured.size(); ++i)
        measured[i].percentiles.emplace(
            percentiles_of(*images.images[i].values, images.percents, measured[i].sums, components, axes, numbers));
}

void add_images(Columns& table, const std::vector<MeasuredImage>& measured, const std::vector<Images::Percent>& percents,
                const std::function<NumberedComponent(std::size_t)>& component, const Axes& axes, int dimensions) {
    for (const MeasuredImage& image : measured) {
        add_intensities(table, image.name, image.sums, component, axes, dimensions);
        for (std::size_t p = 0; p < percents.size(); ++p)
            table.add<double>(image.name + "_" + percents[p].name,
                              [&](std::size_t row) { return image.percentiles->value(component(row).number, p); });
    }
}

}  // namespace voxcc::python
