#include "src/pipeline/pipeline.h"

#include <voxcc/label.h>
#include "src/errors/program_error.h"
#include "src/pipeline/contacts.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/labelled_foreground.h"
#include "src/pipeline/mask_border.h"
#include "src/pipeline/preview.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/series_files.h"
#include "src/pipeline/volume_writing.h"

#include <algorithm>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The stages after labelling, in the order in which they are called: selects components, measures them, and writes the volumes.
class LaterStages {
public:
    /// All arguments must outlive this object.
    LaterStages(OpenedVolume& volume, const LabelledForeground& labelled, RunContext& context)
        : context_(context), clock_(context.clock), options_(context.options), in_(volume.in), v_(volume.v), labelled_(labelled) {}

    void run() {
        if (options_.mask_border == LabelOptions::Border::clear) find_mask_border();
        select();
        if (options_.inside == Inside::find) find_inside();
        if (!in_.intensities.empty()) measure_values();
        if (!options_.contacts.empty()) find_contacts();
        if (context_.series) context_.series->require_same(v_, v_.job.place);
        write();
    }

private:
    void select() {
        constexpr std::size_t number = sizeof(v_.selection.final_numbers[0]);
        labelled_.take_memory(v_.components, criteria_for(options_, v_.info).keep_all() ? 0 : sizeof(Candidate) + number);
        v_.selection = select_components(v_, options_);
        clock_.end(&StageSeconds::select);
    }

    /// Finds the components that touch voxels outside the mask.
    void find_mask_border() {
        const Reader mask = open_companion(options_.mask, options_.input, v_.job.image);
        const Painter labels(*labelled_.labelling, v_.info.extent, v_.engine_slices, ScalarType::u64, std::vector<std::uint64_t>{},
                             context_.pool);
        v_.at_mask_border = components_at_mask_border(labels, *mask, options_.per_slice, v_.period, v_.components);
        clock_.end(&StageSeconds::select);
    }

    /// Finds a voxel inside each final component.
    void find_inside() {
        labelled_.take_memory(v_.selection.count, sizeof(std::uint64_t) + sizeof(VoxelIndex));
        std::vector<std::uint64_t> voxels(static_cast<std::size_t>(v_.selection.count));
        for (std::uint64_t k = 0; k < v_.selection.count; ++k) voxels[k] = v_.sums.voxels(std::size_t(v_.selection.row_of(k + 1)));
        v_.inside = inside_voxels(painter(ScalarType::u64), v_.info.extent, voxels);
        clock_.end(&StageSeconds::shape);
    }

    Painter painter(ScalarType type) const {
        return {*labelled_.labelling, v_.info.extent, v_.engine_slices, type, v_.selection.final_numbers, context_.pool};
    }

    /// With --split-signs: whether the sign of each final component is negative, by its number - 1.
    std::vector<bool> negative_components() const {
        std::vector<bool> negative(v_.selection.count);
        for (std::uint64_t number = 1; number <= v_.selection.count; ++number)
            negative[number - 1] = std::int64_t(v_.source_values[v_.selection.row_of(number)]) < 0;
        return negative;
    }

    /// The sections of the final components, in the stored axes; empty if no component is unwrapped.
    std::optional<KeptSections> kept_sections() {
        const Sections* const sections = labelled_.labelling->sections();
        if (!sections) return std::nullopt;
        labelled_.take_memory(sections->count(), sizeof(std::uint64_t));
        KeptSections kept = keep_sections(*sections, v_.selection.final_numbers, v_.selection.count);
        for (Section& section : kept.sections.shifted) section.shift = restore_axes(section.shift, v_.engine_slices);
        return kept;
    }

    /// Measures the values of the intensity images in the final components.
    void measure_values() {
        const std::optional<KeptSections> kept = kept_sections();
        ImageMeasurement measurement(in_.intensities, options_.intensity, world_of_peaks(options_.intensity, v_.info),
                                     labelled_.memory.get());
        if (kept) measurement.set_sections(kept->sections, v_.info.extent);
        measurement.reserve(kept ? kept->sections.count() : v_.selection.count);
        if (options_.signs == LabelOptions::Signs::split) measurement.find_minima_in(negative_components());
        const Painter labels = kept ? Painter(*labelled_.labelling, v_.info.extent, v_.engine_slices, ScalarType::u64, *kept, context_.pool)
                                    : painter(ScalarType::u64);
        do add_values(measurement, v_.info.extent, labels, context_.progress);
        while (measurement.next_pass(v_.selection.count));
        v_.images = measurement.finish("components", context_.reporter);
        clock_.end(&StageSeconds::intensity);
    }

    void find_contacts() {
        v_.contact_connectivity = contact_connectivity(rule_of(options_), v_.connectivity);
        const auto access = labelled_.plan.slabs > 1 ? RowSource::Access::in_order : RowSource::Access::concurrent;
        v_.contacts = contacts_of({*labelled_.labelling, v_.info.extent, v_.engine_slices, v_.selection, access}, v_.contact_connectivity,
                                  context_.pool, labelled_.memory.get());
        clock_.end(&StageSeconds::contacts);
    }

    /// Writes the volumes, once and in their final types, and the preview.
    void write() {
        if (!v_.job.volumes.empty() || context_.series) write_volumes_of_job();
        if (!v_.job.preview.empty()) write_preview();
        clock_.end(&StageSeconds::write);
    }

    void write_volumes_of_job() {
        Reader image;
        std::vector<VolumeToWrite> volumes;
        for (const auto& [content, path] : context_.series ? v_.job.all_volumes() : v_.job.volumes) {
            if (content == io::Content::values) image = open_image_again();
            volumes.push_back(volume_to_write(content, path, image.get()));
            v_.volume_types[content] = volumes.back().file.type;
        }
        const bool by_slabs = labelled_.plan.slabs > 1 && needs_whole_slabs(options_);
        const std::int64_t rows_per_slab = by_slabs ? labelled_.plan.slices_per_stream_slab * v_.info.extent.ny : v_.info.extent.rows();
        write_volumes(volumes, {painter(painted_type(v_)), rows_per_slab, v_.job.place}, context_);
    }

    /// @param image of Content::values; else null
    VolumeToWrite volume_to_write(io::Content content, const std::string& path, io::VolumeReader* image) {
        SeriesFile* const series = context_.series ? context_.series->find(content) : nullptr;
        LargestNumbers largest;
        largest.add(v_);
        VolumeToWrite volume{series ? series->description : description_of(content, path, v_.info, largest, options_), nullptr, series};
        if (series && content == io::Content::labels) label_type_for(options_, path, largest.label);  // for --dtype
        switch (content) {
            case io::Content::labels: break;
            case io::Content::mask: volume.conversion = to_mask(); break;
            case io::Content::sizes:
                labelled_.take_memory(v_.selection.count + 1, sizeof(std::uint64_t));
                volume.conversion = to_sizes(sizes_of(v_), volume.file.type);
                break;
            case io::Content::values:
                image->use_threads(labelled_.plan.reading_threads);
                volume.conversion = to_values(*image, stored_values(image->info(), path));
        }
        return volume;
    }

    /// Opens the image again, because a streamed labelling reads it with the first reader when labels are painted.
    Reader open_image_again() const {
        Reader image = open(v_.job.image);
        if (image->info().extent != v_.info.extent || image->info().type != v_.info.type)
            throw Error(ErrorKind::changed_file, v_.job.input, "has changed while it was labelled");
        return image;
    }

    void write_preview() {
        const Reader image = open_image_again();
        preview::write({painter(ScalarType::u64), *image, v_.job.image.open.volume, v_.selection.count}, context_.progress,
                       context_.outputs.create(v_.job.preview));
    }

    RunContext& context_;
    StageClock& clock_;
    const LabelOptions& options_;
    VolumeInputs& in_;
    LabelledVolume& v_;
    const LabelledForeground& labelled_;
};

/// @throw Error of any kind
LabelledVolume run_stages(const VolumeJob& job, RunContext& context) {
    OpenedVolume volume = open_volume(job, context);
    const MemoryPlan plan = plan_volume(volume, context);
    try {
        const LabelledForeground labelled = label_foreground(volume, plan, context);
        LaterStages(volume, labelled, context).run();
    } catch (const MemoryLimitReached&) {
        throw too_many_components(plan, context.options, volume.v.info);
    }
    return std::move(volume.v);
}

}  // namespace

LabelledVolume label_volume(const VolumeJob& job, RunContext& context) {
    const StageSeconds before = context.clock.times().seconds;
    LabelledVolume v = run_stages(job, context);
    context.clock.end(&StageSeconds::close);
    v.seconds = context.clock.times().seconds - before;
    return v;
}

}  // namespace voxcc
