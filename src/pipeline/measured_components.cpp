#include "src/pipeline/measured_components.h"

#include "src/pipeline/contacts.h"

namespace voxcc {
namespace {

/// A voxel inside each final component.
std::vector<VoxelIndex> find_inside(const Extent& extent, const LabelledForeground& foreground, const Selection& selection,
                                    RunContext& context) {
    foreground.take_memory(selection.count, sizeof(std::uint64_t) + sizeof(VoxelIndex));
    std::vector<std::uint64_t> voxels(static_cast<std::size_t>(selection.count));
    for (std::uint64_t k = 0; k < selection.count; ++k) voxels[k] = foreground.components.sums.voxels(std::size_t(selection.row_of(k + 1)));
    const Painter labels = foreground.painter(extent, ScalarType::u64, selection.final_numbers, context.pool);
    std::vector<VoxelIndex> inside = inside_voxels(labels, extent, voxels);
    context.clock.end(&StageSeconds::shape);
    return inside;
}

/// With --split-signs: whether the sign of each final component is negative, by its number - 1.
std::vector<bool> negative_components(const LabelledComponents& components, const Selection& selection) {
    std::vector<bool> negative(selection.count);
    for (std::uint64_t number = 1; number <= selection.count; ++number)
        negative[number - 1] = std::int64_t(components.source_values[selection.row_of(number)]) < 0;
    return negative;
}

/// The sections of the final components, in the stored axes; empty if no component is unwrapped.
std::optional<KeptSections> kept_sections(const LabelledForeground& foreground, const Selection& selection) {
    const Sections* const sections = foreground.labelling->sections();
    if (!sections) return std::nullopt;
    foreground.take_memory(sections->count(), sizeof(std::uint64_t));
    KeptSections kept = keep_sections(*sections, selection.final_numbers, selection.count);
    for (Section& section : kept.sections.shifted) section.shift = restore_axes(section.shift, foreground.components.engine_slices);
    return kept;
}

/// The values of the intensity images in the final components.
std::vector<MeasuredImage> measure_values(OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                          RunContext& context) {
    const LabelOptions& options = context.options;
    const io::VolumeInfo& info = volume.described.info;
    const LabelledComponents& components = foreground.components;
    const std::optional<KeptSections> kept = kept_sections(foreground, selection);
    ImageMeasurement measurement(volume.in.intensities, options.intensity, world_of_peaks(options.intensity, info),
                                 components.memory.get());
    if (kept) measurement.set_sections(kept->sections, info.extent);
    measurement.reserve(kept ? kept->sections.count() : selection.count);
    if (options.signs == LabelOptions::Signs::split) measurement.find_minima_in(negative_components(components, selection));
    const Painter labels = kept
                               ? Painter(*foreground.labelling, info.extent, components.engine_slices, ScalarType::u64, *kept, context.pool)
                               : foreground.painter(info.extent, ScalarType::u64, selection.final_numbers, context.pool);
    do add_values(measurement, info.extent, labels, context.progress);
    while (measurement.next_pass(selection.count));
    std::vector<MeasuredImage> images = measurement.finish("components", context.reporter);
    context.clock.end(&StageSeconds::intensity);
    return images;
}

/// The contacts between final components.
std::vector<LabelContact> find_contacts(const DescribedVolume& described, const LabelledForeground& foreground, const Selection& selection,
                                        RunContext& context) {
    const Connectivity connectivity = contact_connectivity(rule_of(context.options), described.connectivity);
    const auto access = foreground.plan.slabs > 1 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    const LabelledComponents& components = foreground.components;
    const PaintableLabels labels{*foreground.labelling, described.info.extent, components.engine_slices, selection, access};
    std::vector<LabelContact> contacts = contacts_of(labels, connectivity, context.pool, components.memory.get());
    context.clock.end(&StageSeconds::contacts);
    return contacts;
}

}  // namespace

MeasuredComponents measure_components(OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                      RunContext& context) {
    const LabelOptions& options = context.options;
    MeasuredComponents measured;
    if (options.inside == Inside::find) measured.inside = find_inside(volume.described.info.extent, foreground, selection, context);
    if (!volume.in.intensities.empty()) measured.images = measure_values(volume, foreground, selection, context);
    return measured;
}

std::vector<LabelContact> measure_contacts(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                           RunContext& context) {
    if (context.options.contacts.empty()) return {};
    return find_contacts(volume.described, foreground, selection, context);
}

}  // namespace voxcc
