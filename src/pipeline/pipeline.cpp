#include "src/pipeline/pipeline.h"

#include <voxcc/label.h>
#include "src/errors/program_error.h"
#include "src/pipeline/contacts.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/holes.h"
#include "src/pipeline/input.h"
#include "src/pipeline/labelled_holes.h"
#include "src/pipeline/level.h"
#include "src/pipeline/mask_border.h"
#include "src/pipeline/plan.h"
#include "src/pipeline/preview.h"
#include "src/pipeline/request.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/series_files.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/signed_source.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/sources.h"
#include "src/pipeline/table_form.h"
#include "src/pipeline/volume_inputs.h"
#include "src/pipeline/volume_writing.h"

#include <algorithm>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The stages of one volume, in the order in which they are called.
class VolumeRun {
public:
    VolumeRun(const VolumeJob& job, RunContext& context)
        : context_(context),
          clock_(context.clock),
          options_(context.options),
          in_(open_inputs(job, context)),
          v_(unlabelled(job, in_.image->info(), options_)),
          share_(context.devices.take()),
          choice_(context.choice) {
        choice_.device = share_.device();
        check_sizes(options_, v_.info);
        if (!world_of(v_.info, v_.units)) context_.reporter.warning(job.input + ": " + no_world_warning(v_.info, v_.units));
    }

    /// @throw Error of any kind
    LabelledVolume label_measure_write() {
        try {
            return run_stages();
        } catch (const MemoryLimitReached&) {
            throw too_many_components(plan_, options_, v_.info);
        }
    }

private:
    LabelledVolume run_stages() {
        for (const auto& [content, path] : v_.job.volumes) io::check_label_files(path, v_.info.extent, context_.outputs, content);
        plan_ = plan_that_fits();
        for (const Reader* reader : {&in_.image, &in_.mask})
            if (*reader) (*reader)->use_threads(plan_.reading_threads);
        for (const OpenImage& image : in_.intensities) image.reader->use_threads(plan_.reading_threads);
        if (reads_image_once()) in_.image->read_once();
        open_source();
        label_and_measure();
        if (options_.mask_border == LabelOptions::Border::clear) find_mask_border();
        select();
        if (options_.inside == Inside::find) find_inside();
        if (!in_.intensities.empty()) measure_values();
        if (!options_.contacts.empty()) find_contacts();
        if (context_.series) context_.series->require_same(v_, v_.job.place);
        write();
        return std::move(v_);
    }

    /// Whether the run reads the image in one pass: it computes no level, checksum or preview, and has memory for all components.
    bool reads_image_once() const {
        const bool has_level = context_.threshold.level == ThresholdRule::Level::given;
        const bool fits = !plan_.limit || plan_.bytes.most() <= *plan_.limit;
        const bool on_cpu = choice_.device.kind == Device::Kind::cpu;
        return plan_.passes == 1 && fits && on_cpu && has_level && options_.json.empty() && !v_.job.volume;
    }

    /// @throw Error out_of_memory if no plan fits
    MemoryPlan plan_that_fits() const {
        const MemoryPlan plan = plan_memory(options_, choice_, readers(), context_.pool.size(), context_.volumes);
        require_memory(plan, options_, v_.info);
        if (plan.slabs > 1) context_.reporter.detail(v_.job.input + ": streams " + slabs_of(plan));
        return plan;
    }

    VolumeReaders readers() const {
        VolumeReaders readers{*in_.image, in_.mask.get(), {}};
        for (const OpenImage& image : in_.intensities) readers.intensities.push_back(image.reader.get());
        return readers;
    }

    static std::string slabs_of(const MemoryPlan& plan) {
        return std::to_string(plan.slabs) + " slabs of " + counted(std::uint64_t(plan.slices_per_stream_slab), "slice");
    }

    /// Labels and measures the volume. If it has more runs and components than the plan expects, starts again with thinner slabs.
    void label_and_measure() {
        for (;;) {
            try {
                label_foreground();
                return measure();
            } catch (const MemoryLimitReached& error) {
                if (error.data() == MemoryLimitReached::Data::of_all_slabs) throw;
                const auto thinner = thinner_slabs(plan_, options_, choice_, readers(), context_.pool.size());
                if (!thinner) throw;
                plan_ = *thinner;
            }
            context_.reporter.detail(v_.job.input + ": has many components; starts again and streams " + slabs_of(plan_));
            v_.shape.reset();
            labelling_.reset();
            filled_.reset();
            source_->rewind();
            open_rows();
        }
    }

    void open_source() {
        const auto take = options_.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
        v_.rule = resolve(context_.threshold, {*in_.image, in_.mask.get()}, take);
        packer_.emplace(v_.info.type, v_.rule);
        open_rows();
        clock_.end(&StageSeconds::open);
    }

    void report_rows(std::int64_t done) {
        const std::int64_t rows = v_.info.extent.rows();
        context_.progress.update("label", done, rows);
        if (context_.pace) context_.pace->labelled(double(done) / double(rows));
    }

    /// The readers must be at row 0.
    void open_rows() {
        const auto on_rows = [this](std::int64_t done) { report_rows(done); };
        const auto isa = default_isa();
        if (options_.signs == LabelOptions::Signs::split)
            source_ = std::make_unique<SignedSource>(*in_.image, *packer_, in_.mask.get(), isa, on_rows);
        else source_ = std::make_unique<ReaderSource>(*in_.image, *packer_, in_.mask.get(), isa, keep_for(rule_of(options_)), on_rows);
        const bool has_integers = visit_scalar(v_.info.type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
        if (examines_values(options_) && (has_integers || possible_threshold(options_))) source_->sample(samples_.emplace(v_.info));
        const bool is_paced = context_.pace && context_.pace->is_limited();
        if (plan_.slabs == 1 && !is_paced) source_->allow_concurrent_access();
    }

    void label_foreground() {
        if (const auto bytes = plan_.for_shapes()) memory_.emplace(*bytes);
        v_.engine_slices = plan_.slabs > 1 ? Axis::z : slices_of(options_);
        if (plan_.slabs > 1) labelling_ = label_slabs();
        else
            labelling_ =
                holds_foreground(options_) ? label_held() : label(*source_, v_.info.extent, question_for(options_, v_.info), execution());
        v_.nan_voxels = source_->nan_voxels();
        v_.nan_voxels_of_mask = source_->nan_voxels_of_mask();
        v_.has_other_values = samples_ && samples_->has_other_values();
        v_.info.warnings = in_.image->info().warnings;
        in_.of_image.report(v_.job.input, v_.info, context_.reporter);
        if (in_.mask) in_.of_mask.report(options_.mask, in_.mask->info(), context_.reporter);
        warn_of_nan(v_.job.input, v_.nan_voxels, "always background", context_.reporter);
        warn_of_nan(options_.mask, v_.nan_voxels_of_mask, "outside the mask", context_.reporter);
        v_.components = labelling_->count();
        v_.joins_labels = samples_ && samples_->shows_joined_labels(v_.components);
        if (rule_of(options_) == Rule::equal_values) take_memory(v_.components, sizeof(v_.source_values[0]));
        v_.source_values = labelling_->source_values();
        if (hole_keys_) v_.source_values = hole_keys_->values_of(v_.source_values);
    }

    /// Reads the source into memory, exchanges axes, fills holes, and labels the result in one piece.
    std::unique_ptr<Labelling> label_held() {
        Question question = question_for(options_, v_.info);
        const bool fills = options_.holes == LabelOptions::Holes::fill;
        const PackMask pack_mask = fills ? source_->mask_packer() : PackMask();
        VolumeBits held = read_bits(*source_, v_.info.extent, 0, slices_of(options_), keep_for(rule_of(options_)), pack_mask);
        if (fills) fill(held, question);
        clock_.end(&StageSeconds::hold);
        VolumeBitsSource source(held);
        if (!hole_keys_) return label(source, held.extent, question, execution());
        Execution on_cpu;  // the keys are labelled by block-runs
        on_cpu.pool = &context_.pool;
        on_cpu.results = results_for(options_);
        on_cpu.memory = limit();
        return label(source, held.extent, question, on_cpu);
    }

    /// Fills the holes of a volume in memory. If the rule compares values, `question` is then for the keys of labelled_holes.h.
    void fill(VolumeBits& held, Question& question) {
        const HoleRule rule = hole_rule(question, exchanged(v_.faces, slices_of(options_)));
        if (question.rule == Rule::foreground) return fill_holes(held, rule, context_.pool, limit());
        Execution keeps_labels = execution();
        keeps_labels.results = Results::labels_and_sums;
        hole_keys_ = fill_labelled_holes(held, question, rule, keeps_labels, context_.pool, limit());
        question.rule = Rule::equal_values;
    }

    HoleRule hole_rule(const Question& question, const Extent& faces) const { return {question, faces, max_hole_of(options_, v_.info)}; }

    std::unique_ptr<Labelling> label_slabs() {
        const Question question = question_for(options_, v_.info);
        const std::int64_t slices = plan_.slices_at_a_time();
        RowSource* source = source_.get();
        if (options_.holes == LabelOptions::Holes::fill) {
            const FilledSource::Slabs slabs{slices, v_.job.input, slices_of(options_)};
            filled_ =
                std::make_unique<FilledSource>(*source_, v_.info.extent, hole_rule(question, v_.faces), context_.pool, slabs, limit());
            clock_.end(&StageSeconds::hold);
            source = filled_.get();
        }
        Execution in_slabs = execution();
        in_slabs.slices_per_slab = slices;
        return label_slices(*source, v_.info.extent, question, slices_of(options_), in_slabs);
    }

    Execution execution() {
        return {.device = choice_.device,
                .algorithm = choice_.algorithm->name,
                .pool = &context_.pool,
                .subject = v_.job.input,
                .results = results_for(options_),
                .memory = limit(),
                .volumes_per_device = context_.devices.volumes_per_device()};
    }

    void measure() {
        v_.sums = labelling_->measure();
        for (std::size_t row = 0; row < v_.sums.size(); ++row) v_.foreground += v_.sums.voxels(row);
        clock_.end_labelling(labelling_->seconds());
        if (options_.shape == Shape::measure) measure_shapes();
    }

    void measure_shapes() {
        ShapeRequest request = shape_request(question_for(options_, v_.info), v_.info, v_.engine_slices, v_.units);
        request.memory = limit();
        v_.shape = measure_shape(*labelling_, request, v_.sums, context_.pool);
        clock_.end(&StageSeconds::shape);
    }

    MemoryLimit* limit() { return memory_ ? &*memory_ : nullptr; }

    /// Counts memory for a table of the components. @throw Error out_of_memory
    void take_memory(std::uint64_t components, std::size_t bytes_per_component) {
        if (memory_) memory_->take(std::int64_t(components * bytes_per_component));
    }

    void select() {
        constexpr std::size_t number = sizeof(v_.selection.final_numbers[0]);
        take_memory(v_.components, criteria_for(options_, v_.info).keep_all() ? 0 : sizeof(Candidate) + number);
        v_.selection = select_components(v_, options_);
        clock_.end(&StageSeconds::select);
    }

    /// Finds the components that touch voxels outside the mask.
    void find_mask_border() {
        const Reader mask = open_companion(options_.mask, options_.input, v_.job.image);
        const Painter labels(*labelling_, v_.info.extent, v_.engine_slices, ScalarType::u64, std::vector<std::uint64_t>{}, context_.pool);
        v_.at_mask_border = components_at_mask_border(labels, *mask, options_.per_slice, v_.period, v_.components);
        clock_.end(&StageSeconds::select);
    }

    /// Finds a voxel inside each final component.
    void find_inside() {
        take_memory(v_.selection.count, sizeof(std::uint64_t) + sizeof(VoxelIndex));
        std::vector<std::uint64_t> voxels(static_cast<std::size_t>(v_.selection.count));
        for (std::uint64_t k = 0; k < v_.selection.count; ++k) voxels[k] = v_.sums.voxels(std::size_t(v_.selection.row_of(k + 1)));
        v_.inside = inside_voxels(painter(ScalarType::u64), v_.info.extent, voxels);
        clock_.end(&StageSeconds::shape);
    }

    Painter painter(ScalarType type) const {
        return {*labelling_, v_.info.extent, v_.engine_slices, type, v_.selection.final_numbers, context_.pool};
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
        const Sections* const sections = labelling_->sections();
        if (!sections) return std::nullopt;
        take_memory(sections->count(), sizeof(std::uint64_t));
        KeptSections kept = keep_sections(*sections, v_.selection.final_numbers, v_.selection.count);
        for (Section& section : kept.sections.shifted) section.shift = restore_axes(section.shift, v_.engine_slices);
        return kept;
    }

    /// Measures the values of the intensity images in the final components.
    void measure_values() {
        const std::optional<KeptSections> kept = kept_sections();
        ImageMeasurement measurement(in_.intensities, options_.intensity, world_of_peaks(options_.intensity, v_.info), limit());
        if (kept) measurement.set_sections(kept->sections, v_.info.extent);
        measurement.reserve(kept ? kept->sections.count() : v_.selection.count);
        if (options_.signs == LabelOptions::Signs::split) measurement.find_minima_in(negative_components());
        const Painter labels =
            kept ? Painter(*labelling_, v_.info.extent, v_.engine_slices, ScalarType::u64, *kept, context_.pool) : painter(ScalarType::u64);
        do add_values(measurement, v_.info.extent, labels, context_.progress);
        while (measurement.next_pass(v_.selection.count));
        v_.images = measurement.finish("components", context_.reporter);
        clock_.end(&StageSeconds::intensity);
    }

    void find_contacts() {
        v_.contact_connectivity = contact_connectivity(rule_of(options_), v_.connectivity);
        const auto access = plan_.slabs > 1 ? RowSource::Access::in_order : RowSource::Access::concurrent;
        v_.contacts = contacts_of({*labelling_, v_.info.extent, v_.engine_slices, v_.selection, access}, v_.contact_connectivity,
                                  context_.pool, limit());
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
        const bool by_slabs = plan_.slabs > 1 && needs_whole_slabs(options_);
        const std::int64_t rows_per_slab = by_slabs ? plan_.slices_per_stream_slab * v_.info.extent.ny : v_.info.extent.rows();
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
                take_memory(v_.selection.count + 1, sizeof(std::uint64_t));
                volume.conversion = to_sizes(sizes_of(v_), volume.file.type);
                break;
            case io::Content::values:
                image->use_threads(plan_.reading_threads);
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
    VolumeInputs in_;
    LabelledVolume v_;
    DeviceShares::Share share_;  // must outlive labelling_
    Choice choice_;              // with the devices of this volume
    std::optional<ForegroundPacker> packer_;
    std::optional<SampledValues> samples_;
    std::unique_ptr<ReaderSource> source_;  // must outlive labelling_, which may read it again to paint
    MemoryPlan plan_;
    std::optional<MemoryLimit> memory_;     // for runs and components; must outlive labelling_
    std::unique_ptr<FilledSource> filled_;  // must outlive labelling_, as source_
    std::optional<HoleKeys> hole_keys_;
    std::unique_ptr<Labelling> labelling_;
};

}  // namespace

LabelledVolume label_volume(const VolumeJob& job, RunContext& context) {
    const StageSeconds before = context.clock.times().seconds;
    LabelledVolume v = VolumeRun(job, context).label_measure_write();
    context.clock.end(&StageSeconds::close);
    v.seconds = context.clock.times().seconds - before;
    return v;
}

}  // namespace voxcc
