#include "src/pipeline/written_volumes.h"

#include "src/errors/program_error.h"
#include "src/pipeline/preview.h"
#include "src/pipeline/series_files.h"

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The conversion of the labels to the voxels of a volume; null for the label volume.
/// @param file the description of the volume @param image of Content::values, must outlive the result; else null
std::unique_ptr<LabelConversion> conversion_to(const io::LabelVolume& file, const LabelledForeground& foreground,
                                               const Selection& selection, io::VolumeReader* image) {
    switch (file.content) {
        case io::Content::labels: return nullptr;
        case io::Content::mask: return to_mask();
        case io::Content::sizes:
            foreground.take_memory(selection.count + 1, sizeof(std::uint64_t));
            return to_sizes(sizes_of(foreground.components, selection), file.type);
        case io::Content::values:
            image->use_threads(foreground.plan.reading_threads);
            return to_values(*image, stored_values(image->info(), file.path));
    }
    throw Error(ErrorKind::internal, "outputs", "an unknown content");
}

/// Writes the volumes of a job once, in their final types.
WrittenVolumes write_volumes_of_job(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                                    RunContext& context) {
    const LabelOptions& options = context.options;
    const io::VolumeInfo& info = volume.described.info;
    LargestNumbers largest;
    largest.add(foreground.components, selection);
    Reader image;
    std::vector<VolumeToWrite> volumes;
    WrittenVolumes written;
    for (const auto& [content, path] : context.series ? volume.job.all_volumes() : volume.job.volumes) {
        if (content == io::Content::values) image = open_image_again(volume);
        SeriesFile* const series = context.series ? context.series->find(content) : nullptr;
        const io::LabelVolume file = series ? series->description : description_of(content, path, info, largest, options);
        if (series && content == io::Content::labels) label_type_for(options, path, largest.label);  // for --dtype
        volumes.push_back({file, conversion_to(file, foreground, selection, image.get()), series});
        written.types[content] = file.type;
    }
    const bool by_slabs = foreground.plan.slabs > 1 && needs_whole_slabs(options);
    const std::int64_t rows_per_slab = by_slabs ? foreground.plan.slices_per_stream_slab * info.extent.ny : info.extent.rows();
    const ScalarType type = painted_type(written, selection.count);
    const Painter labels = foreground.painter(info.extent, type, selection.final_numbers, context.pool);
    write_volumes(volumes, {&labels, rows_per_slab, volume.job.place}, {context.pool, context.outputs, context.progress});
    return written;
}

/// Writes the picture of a volume, or draws its tile.
void draw_preview(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection, RunContext& context,
                  WrittenVolumes& written) {
    const io::VolumeInfo& info = volume.described.info;
    const Painter labels = foreground.painter(info.extent, ScalarType::u64, selection.final_numbers, context.pool);
    io::VolumeReader* const background = volume.in.background();
    const Reader own = background ? nullptr : open_image_again(volume);
    preview::Source source{labels, info, background ? *background : *own, volume.job.image.open.volume, selection.count, {}};
    if (background) {
        background->rewind();
        source.cut = largest_components(foreground.components, selection, info.extent, preview::numbered_components);
    }
    if (volume.job.tile == VolumeJob::Tile::draw) written.tile = preview::draw_tile(source, context.progress);
    else preview::write(source, context.progress, context.outputs.create(volume.job.preview));
}

}  // namespace

WrittenVolumes write_outputs(const OpenedVolume& volume, const LabelledForeground& foreground, const Selection& selection,
                             RunContext& context) {
    if (context.series) context.series->require_same(volume, foreground.components, selection);
    WrittenVolumes written;
    if (!volume.job.volumes.empty() || context.series) written = write_volumes_of_job(volume, foreground, selection, context);
    const bool draws = !volume.job.preview.empty() || volume.job.tile == VolumeJob::Tile::draw;
    if (draws) draw_preview(volume, foreground, selection, context, written);
    context.clock.end(&StageSeconds::write);
    return written;
}

}  // namespace voxcc
