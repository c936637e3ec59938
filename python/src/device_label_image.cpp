#include "python/src/device_label_image.h"

#include "python/src/gil.h"
#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <unordered_map>

namespace voxcc::python {
namespace {

LabelForm form_of(const DeviceArray& labels) {
    return {labels.type, Axes(labels.shape, labels.layout, Axes::none), int(labels.shape.size())};
}

/// The labels of an array, and their sums.
struct MergedLabels {
    std::vector<std::uint64_t> labels;
    std::vector<WideSums> sums;
};

/// Adds up the components of each label.
MergedLabels merge(const SumTable& components, const std::vector<std::uint64_t>& label_of_component) {
    MergedLabels merged;
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (std::size_t k = 0; k < label_of_component.size(); ++k) {
        const auto [found, is_new] = index.emplace(label_of_component[k], merged.labels.size());
        if (is_new) {
            merged.labels.push_back(label_of_component[k]);
            merged.sums.push_back(components[k]);
        } else {
            merged.sums[found->second].add(components[k]);
        }
    }
    return merged;
}

MergedLabels sum_components(const DeviceArray& labels, const Extent& extent, Background background) {
    Question question{.rule = Rule::equal_values};  // 26 neighbours have the fewest components
    if (background == Background::measured) question.foreground.kind = ForegroundRule::Kind::none_of;  // of no values: all are foreground
    const auto labelling = label_on_stream(volume_of(labels, {labels.address, labels.type}, extent), question);
    return merge(labelling->measure(), labelling->source_values());
}

}  // namespace

nb::dict measure_on_device(const DeviceArray& labels, const DeviceVoxels* intensity, Background background, const Spacing& spacing) {
    const LabelForm form = form_of(labels);
    const Extent& e = form.axes.extent;
    const int threads = threads_of_call(0, e.voxels() * size_of(labels.type));  // of the table
    if (!intensity) {
        const MergedLabels merged = [&] {
            const WithoutGil no_gil;
            return sum_components(labels, e, background);
        }();
        return columns_of({merged.labels, [&](std::size_t i) { return merged.sums[i]; }}, {}, form, spacing, threads);
    }
    BothSums sums = [&] {
        const WithoutGil no_gil;
        const auto rows = rows_on_stream(volume_of(labels, {labels.address, labels.type}, e));
        const auto image = rows_on_stream(volume_of(labels, *intensity, e));
        Signals signals;
        InterruptibleSource label_rows(*rows, signals), image_rows(*image, signals);
        RowSource* const images[] = {&image_rows};
        CallPool pool(1);  // rows are copied in windows only if they are fetched one after the other
        return sum_both(label_rows, images, e, pool);
    }();
    LabelMeasures measures;
    measures.images.push_back({"intensity", std::move(sums.intensities.front()), std::nullopt});
    return columns_of({sums.labels.labels(), [&](std::size_t i) { return sums.labels[i]; }}, measures, form, spacing, threads);
}

nb::dict contacts_on_device(const DeviceArray& labels, Connectivity connectivity) {
    const LabelForm form = form_of(labels);
    const auto rows = rows_on_stream(volume_of(labels, {labels.address, labels.type}, form.axes.extent));
    Signals signals;
    InterruptibleSource label_rows(*rows, signals);
    return contacts_of_rows(label_rows, form, connectivity, threads_of_call(0, form.axes.extent.voxels() * size_of(labels.type)));
}

nb::dict map_on_device(const DeviceArray& labels, const NewNumbers& numbers, const DeviceVoxels& out) {
    const LabelForm form = form_of(labels);
    const std::vector<std::uint64_t> found = [&] {
        const WithoutGil no_gil;
        return map_on_stream(volume_of(labels, {labels.address, labels.type}, form.axes.extent), numbers,
                             reinterpret_cast<void*>(out.address), out.type);
    }();
    const std::vector<std::size_t> order = ascending_labels(found, labels.type);
    Columns columns(found.size());
    add_labels(columns, "label", labels.type, [&](std::size_t row) { return found[order[row]]; });
    return columns.dict();
}

}  // namespace voxcc::python
