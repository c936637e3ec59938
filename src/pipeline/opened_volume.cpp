#include "src/pipeline/opened_volume.h"

#include "src/pipeline/geometry.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/table_form.h"

namespace voxcc {
namespace {

/// Whether the run reads the image in one pass: it computes no level, checksum or preview, and has memory for all components.
bool reads_image_once(const OpenedVolume& volume, const MemoryPlan& plan, const RunContext& context) {
    const bool has_bound = !context.threshold.level;
    const bool fits = !plan.limit || plan.bytes.most() <= *plan.limit;
    const bool on_cpu = volume.choice.device.kind == Device::Kind::cpu;
    return plan.passes == 1 && fits && on_cpu && has_bound && context.options.json.empty() && !volume.job.volume;
}

}  // namespace

VolumeReaders OpenedVolume::readers() const {
    VolumeReaders readers{*in.image, in.mask.get(), {}};
    for (const OpenImage& image : in.intensities) readers.intensities.push_back(image.reader.get());
    readers.preview_image = in.preview_image.get();
    return readers;
}

OpenedVolume open_volume(const VolumeJob& job, RunContext& context) {
    VolumeInputs in = open_inputs(job, context);
    DescribedVolume described = description_for(context.options, in.image->info());
    OpenedVolume volume{job, std::move(in), std::move(described), context.devices.take(), context.choice};
    volume.choice.device = volume.share.device();
    const io::VolumeInfo& info = volume.described.info;
    check_sizes(context.options, info);
    if (!world_of(info, volume.described.units))
        context.reporter.warning(job.input + ": " + no_world_warning(info, volume.described.units));
    for (const auto& [content, path] : job.volumes) io::check_label_files(path, info.extent, context.outputs, content);
    return volume;
}

MemoryPlan plan_volume(OpenedVolume& volume, RunContext& context) {
    const MemoryPlan plan = plan_memory(context.options, volume.choice, volume.readers(), context.pool.size(), context.volumes);
    require_memory(plan, context.options, volume.described.info);
    if (plan.slabs > 1) context.reporter.detail(volume.job.input + ": streams " + slabs_of(plan));
    for (io::VolumeReader* const reader : {volume.in.image.get(), volume.in.mask.get(), volume.in.preview_image.get()})
        if (reader) reader->use_threads(plan.reading_threads);
    for (const OpenImage& image : volume.in.intensities) image.reader->use_threads(plan.reading_threads);
    if (reads_image_once(volume, plan, context)) volume.in.image->read_once();
    return plan;
}

std::unique_ptr<io::VolumeReader> open_image_again(const OpenedVolume& volume) {
    const io::VolumeInfo& info = volume.described.info;
    std::unique_ptr<io::VolumeReader> image = open(volume.job.image);
    if (image->info().extent != info.extent || image->info().type != info.type)
        throw Error(ErrorKind::changed_file, volume.job.input, "has changed while it was labelled");
    return image;
}

std::string slabs_of(const MemoryPlan& plan) {
    return std::to_string(plan.slabs) + " slabs of " + counted(std::uint64_t(plan.slices_per_stream_slab), "slice");
}

}  // namespace voxcc
