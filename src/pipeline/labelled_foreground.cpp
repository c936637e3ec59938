#include "src/pipeline/labelled_foreground.h"

#include "src/pipeline/level.h"
#include "src/pipeline/request.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/signed_source.h"

#include <utility>

namespace voxcc {
namespace {

/// Labels one volume: the functions of this file, with the structs that all of them use.
class Labeller {
public:
    Labeller(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context)
        : volume_(volume),
          in_(volume.in),
          described_(volume.described),
          info_(volume.described.info),
          input_(volume.job.input),
          choice_(volume.choice),
          context_(context),
          options_(context.options) {
        labelled_.plan = plan;
    }

    LabelledForeground label_and_measure() {
        open_source();
        for (;;) {
            try {
                label();
                measure();
                return std::move(labelled_);
            } catch (const MemoryLimitReached& error) {
                if (error.data() == MemoryLimitReached::Data::of_all_slabs) throw;
                const auto thinner = thinner_slabs(labelled_.plan, options_, choice_, volume_.readers(), context_.pool.size());
                if (!thinner) throw;
                labelled_.plan = *thinner;
            }
            context_.reporter.detail(input_ + ": has many components; starts again and streams " + slabs_of(labelled_.plan));
            discard_results();
            labelled_.source->rewind();
            open_rows();
        }
    }

private:
    void open_source() {
        const auto take = options_.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
        labelled_.components.rule = resolve(context_.threshold, {*in_.image, in_.mask.get()}, take);
        labelled_.packer = std::make_unique<ForegroundPacker>(info_.type, labelled_.components.rule);
        open_rows();
        context_.clock.end(&StageSeconds::open);
    }

    /// Discards everything but the rule and the source. The shapes are destroyed before the MemoryLimit that counts them.
    void discard_results() {
        labelled_.labelling.reset();
        labelled_.hole_keys.reset();
        labelled_.filled.reset();
        const LabelledComponents discarded = std::exchange(labelled_.components, LabelledComponents());
        labelled_.components.rule = discarded.rule;
    }

    /// The readers must be at row 0.
    void open_rows() {
        const auto on_rows = [&context = context_, rows = info_.extent.rows()](std::int64_t done) {
            context.progress.update("label", done, rows);
            if (context.pace) context.pace->labelled(double(done) / double(rows));
        };
        const auto isa = default_isa();
        if (options_.signs == LabelOptions::Signs::split)
            labelled_.source = std::make_unique<SignedSource>(*in_.image, *labelled_.packer, in_.mask.get(), isa, on_rows);
        else
            labelled_.source =
                std::make_unique<ReaderSource>(*in_.image, *labelled_.packer, in_.mask.get(), isa, keep_for(rule_of(options_)), on_rows);
        const bool has_integers = visit_scalar(info_.type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
        if (examines_values(options_) && (has_integers || possible_threshold(options_))) {
            labelled_.samples = std::make_unique<SampledValues>(info_);
            labelled_.source->sample(*labelled_.samples);
        }
        const bool is_paced = context_.pace && context_.pace->is_limited();
        if (labelled_.plan.slabs == 1 && !is_paced) labelled_.source->allow_concurrent_access();
    }

    void label() {
        LabelledComponents& found = labelled_.components;
        if (const auto bytes = labelled_.plan.for_shapes()) found.memory = std::make_shared<MemoryLimit>(*bytes);
        found.engine_slices = labelled_.plan.slabs > 1 ? Axis::z : slices_of(options_);
        if (labelled_.plan.slabs > 1) labelled_.labelling = label_slabs();
        else
            labelled_.labelling = holds_foreground(options_)
                                      ? label_held()
                                      : voxcc::label(*labelled_.source, info_.extent, question_for(options_, info_), execution());
        add_findings_of_source();
        const std::uint64_t count = labelled_.labelling->count();
        found.joins_labels = labelled_.samples && labelled_.samples->shows_joined_labels(count);
        if (rule_of(options_) == Rule::equal_values) labelled_.take_memory(count, sizeof(found.source_values[0]));
        found.source_values = labelled_.labelling->source_values();
        if (labelled_.hole_keys) found.source_values = labelled_.hole_keys->values_of(found.source_values);
    }

    /// Adds what the source has found in the voxels, and reports it.
    void add_findings_of_source() {
        LabelledComponents& found = labelled_.components;
        found.nan_voxels = labelled_.source->nan_voxels();
        found.nan_voxels_of_mask = labelled_.source->nan_voxels_of_mask();
        found.has_other_values = labelled_.samples && labelled_.samples->has_other_values();
        found.warnings = in_.image->info().warnings;
        in_.of_image.report(input_, in_.image->info(), context_.reporter);
        if (in_.mask) in_.of_mask.report(options_.mask, in_.mask->info(), context_.reporter);
        warn_of_nan(input_, found.nan_voxels, "always background", context_.reporter);
        warn_of_nan(options_.mask, found.nan_voxels_of_mask, "outside the mask", context_.reporter);
    }

    /// Reads the source into memory, exchanges axes, fills holes, and labels the result in one piece.
    std::unique_ptr<Labelling> label_held() {
        Question question = question_for(options_, info_);
        const bool fills = options_.holes == LabelOptions::Holes::fill;
        const PackMask pack_mask = fills ? labelled_.source->mask_packer() : PackMask();
        VolumeBits held = read_bits(*labelled_.source, info_.extent, 0, slices_of(options_), keep_for(rule_of(options_)), pack_mask);
        if (fills) fill(held, question);
        context_.clock.end(&StageSeconds::hold);
        VolumeBitsSource source(held);
        if (!labelled_.hole_keys) return voxcc::label(source, held.extent, question, execution());
        Execution on_cpu;  // the keys are labelled by block-runs
        on_cpu.pool = &context_.pool;
        on_cpu.results = results_for(options_);
        on_cpu.memory = limit();
        return voxcc::label(source, held.extent, question, on_cpu);
    }

    /// Fills the holes of a volume in memory. If the rule compares values, `question` is then for the keys of labelled_holes.h.
    void fill(VolumeBits& held, Question& question) {
        const HoleRule rule = hole_rule(question, exchanged(described_.faces, slices_of(options_)));
        if (question.rule == Rule::foreground) return fill_holes(held, rule, context_.pool, limit());
        Execution keeps_labels = execution();
        keeps_labels.results = Results::labels_and_sums;
        labelled_.hole_keys = fill_labelled_holes(held, question, rule, keeps_labels, context_.pool, limit());
        question.rule = Rule::equal_values;
    }

    HoleRule hole_rule(const Question& question, const Extent& faces) const { return {question, faces, max_hole_of(options_, info_)}; }

    std::unique_ptr<Labelling> label_slabs() {
        const Question question = question_for(options_, info_);
        const std::int64_t slices = labelled_.plan.slices_at_a_time();
        RowSource* source = labelled_.source.get();
        if (options_.holes == LabelOptions::Holes::fill) {
            const FilledSource::Slabs slabs{slices, input_, slices_of(options_)};
            labelled_.filled = std::make_unique<FilledSource>(*labelled_.source, info_.extent, hole_rule(question, described_.faces),
                                                              context_.pool, slabs, limit());
            context_.clock.end(&StageSeconds::hold);
            source = labelled_.filled.get();
        }
        Execution in_slabs = execution();
        in_slabs.slices_per_slab = slices;
        return label_slices(*source, info_.extent, question, slices_of(options_), in_slabs);
    }

    Execution execution() {
        return {.device = choice_.device,
                .algorithm = choice_.algorithm->name,
                .pool = &context_.pool,
                .subject = input_,
                .results = results_for(options_),
                .memory = limit(),
                .volumes_per_device = context_.devices.volumes_per_device()};
    }

    void measure() {
        LabelledComponents& found = labelled_.components;
        found.sums = labelled_.labelling->measure();
        for (std::size_t row = 0; row < found.sums.size(); ++row) found.foreground += found.sums.voxels(row);
        context_.clock.end_labelling(labelled_.labelling->seconds());
        if (options_.shape == Shape::measure) measure_shapes();
    }

    void measure_shapes() {
        LabelledComponents& found = labelled_.components;
        ShapeRequest request = shape_request(question_for(options_, info_), info_, found.engine_slices, described_.units);
        request.memory = limit();
        found.shape = measure_shape(*labelled_.labelling, request, found.sums, context_.pool);
        context_.clock.end(&StageSeconds::shape);
    }

    MemoryLimit* limit() { return labelled_.components.memory.get(); }

    OpenedVolume& volume_;
    VolumeInputs& in_;
    const DescribedVolume& described_;
    const io::VolumeInfo& info_;
    const std::string& input_;
    const Choice& choice_;
    RunContext& context_;
    const LabelOptions& options_;
    LabelledForeground labelled_;
};

}  // namespace

LabelledForeground label_foreground(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context) {
    return Labeller(volume, plan, context).label_and_measure();
}

}  // namespace voxcc
