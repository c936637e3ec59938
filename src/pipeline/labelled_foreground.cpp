#include "src/pipeline/labelled_foreground.h"

#include "src/pipeline/level.h"
#include "src/pipeline/request.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/signed_source.h"

namespace voxcc {
namespace {

/// Labels one volume: the functions of this file, with the structs that all of them use.
class Labeller {
public:
    Labeller(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context)
        : in_(volume.in), v_(volume.v), choice_(volume.choice), volume_(volume), context_(context), options_(context.options) {
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
            context_.reporter.detail(v_.job.input + ": has many components; starts again and streams " + slabs_of(labelled_.plan));
            v_.shape.reset();
            labelled_.labelling.reset();
            labelled_.filled.reset();
            labelled_.source->rewind();
            open_rows();
        }
    }

private:
    void open_source() {
        const auto take = options_.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
        v_.rule = resolve(context_.threshold, {*in_.image, in_.mask.get()}, take);
        labelled_.packer = std::make_unique<ForegroundPacker>(v_.info.type, v_.rule);
        open_rows();
        context_.clock.end(&StageSeconds::open);
    }

    /// The readers must be at row 0.
    void open_rows() {
        const auto on_rows = [&context = context_, rows = v_.info.extent.rows()](std::int64_t done) {
            context.progress.update("label", done, rows);
            if (context.pace) context.pace->labelled(double(done) / double(rows));
        };
        const auto isa = default_isa();
        if (options_.signs == LabelOptions::Signs::split)
            labelled_.source = std::make_unique<SignedSource>(*in_.image, *labelled_.packer, in_.mask.get(), isa, on_rows);
        else
            labelled_.source =
                std::make_unique<ReaderSource>(*in_.image, *labelled_.packer, in_.mask.get(), isa, keep_for(rule_of(options_)), on_rows);
        const bool has_integers = visit_scalar(v_.info.type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
        if (examines_values(options_) && (has_integers || possible_threshold(options_))) {
            labelled_.samples = std::make_unique<SampledValues>(v_.info);
            labelled_.source->sample(*labelled_.samples);
        }
        const bool is_paced = context_.pace && context_.pace->is_limited();
        if (labelled_.plan.slabs == 1 && !is_paced) labelled_.source->allow_concurrent_access();
    }

    void label() {
        if (const auto bytes = labelled_.plan.for_shapes()) v_.memory = labelled_.memory = std::make_shared<MemoryLimit>(*bytes);
        v_.engine_slices = labelled_.plan.slabs > 1 ? Axis::z : slices_of(options_);
        if (labelled_.plan.slabs > 1) labelled_.labelling = label_slabs();
        else
            labelled_.labelling = holds_foreground(options_)
                                      ? label_held()
                                      : voxcc::label(*labelled_.source, v_.info.extent, question_for(options_, v_.info), execution());
        v_.nan_voxels = labelled_.source->nan_voxels();
        v_.nan_voxels_of_mask = labelled_.source->nan_voxels_of_mask();
        v_.has_other_values = labelled_.samples && labelled_.samples->has_other_values();
        v_.info.warnings = in_.image->info().warnings;
        in_.of_image.report(v_.job.input, v_.info, context_.reporter);
        if (in_.mask) in_.of_mask.report(options_.mask, in_.mask->info(), context_.reporter);
        warn_of_nan(v_.job.input, v_.nan_voxels, "always background", context_.reporter);
        warn_of_nan(options_.mask, v_.nan_voxels_of_mask, "outside the mask", context_.reporter);
        v_.components = labelled_.labelling->count();
        v_.joins_labels = labelled_.samples && labelled_.samples->shows_joined_labels(v_.components);
        if (rule_of(options_) == Rule::equal_values) labelled_.take_memory(v_.components, sizeof(v_.source_values[0]));
        v_.source_values = labelled_.labelling->source_values();
        if (labelled_.hole_keys) v_.source_values = labelled_.hole_keys->values_of(v_.source_values);
    }

    /// Reads the source into memory, exchanges axes, fills holes, and labels the result in one piece.
    std::unique_ptr<Labelling> label_held() {
        Question question = question_for(options_, v_.info);
        const bool fills = options_.holes == LabelOptions::Holes::fill;
        const PackMask pack_mask = fills ? labelled_.source->mask_packer() : PackMask();
        VolumeBits held = read_bits(*labelled_.source, v_.info.extent, 0, slices_of(options_), keep_for(rule_of(options_)), pack_mask);
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
        const HoleRule rule = hole_rule(question, exchanged(v_.faces, slices_of(options_)));
        if (question.rule == Rule::foreground) return fill_holes(held, rule, context_.pool, limit());
        Execution keeps_labels = execution();
        keeps_labels.results = Results::labels_and_sums;
        labelled_.hole_keys = fill_labelled_holes(held, question, rule, keeps_labels, context_.pool, limit());
        question.rule = Rule::equal_values;
    }

    HoleRule hole_rule(const Question& question, const Extent& faces) const { return {question, faces, max_hole_of(options_, v_.info)}; }

    std::unique_ptr<Labelling> label_slabs() {
        const Question question = question_for(options_, v_.info);
        const std::int64_t slices = labelled_.plan.slices_at_a_time();
        RowSource* source = labelled_.source.get();
        if (options_.holes == LabelOptions::Holes::fill) {
            const FilledSource::Slabs slabs{slices, v_.job.input, slices_of(options_)};
            labelled_.filled = std::make_unique<FilledSource>(*labelled_.source, v_.info.extent, hole_rule(question, v_.faces),
                                                              context_.pool, slabs, limit());
            context_.clock.end(&StageSeconds::hold);
            source = labelled_.filled.get();
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
        v_.sums = labelled_.labelling->measure();
        v_.foreground = 0;  // of an attempt with thicker slabs
        for (std::size_t row = 0; row < v_.sums.size(); ++row) v_.foreground += v_.sums.voxels(row);
        context_.clock.end_labelling(labelled_.labelling->seconds());
        if (options_.shape == Shape::measure) measure_shapes();
    }

    void measure_shapes() {
        ShapeRequest request = shape_request(question_for(options_, v_.info), v_.info, v_.engine_slices, v_.units);
        request.memory = limit();
        v_.shape = measure_shape(*labelled_.labelling, request, v_.sums, context_.pool);
        context_.clock.end(&StageSeconds::shape);
    }

    MemoryLimit* limit() { return labelled_.memory.get(); }

    VolumeInputs& in_;
    LabelledVolume& v_;
    const Choice& choice_;
    OpenedVolume& volume_;
    RunContext& context_;
    const LabelOptions& options_;
    LabelledForeground labelled_;
};

}  // namespace

LabelledForeground label_foreground(OpenedVolume& volume, const MemoryPlan& plan, RunContext& context) {
    return Labeller(volume, plan, context).label_and_measure();
}

}  // namespace voxcc
