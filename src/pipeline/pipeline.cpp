#include "src/pipeline/pipeline.h"

#include <voxcc/clock.h>
#include "src/messages/program_error.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_writing.h"
#include "src/pipeline/level.h"
#include "src/pipeline/painter.h"
#include "src/pipeline/plan.h"
#include "src/pipeline/preview/preview.h"
#include "src/pipeline/request.h"
#include "src/pipeline/sources.h"

#include <cmath>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The readers of one volume, and their warnings.
struct Inputs {
    Reader image, mask, intensity;
    FileWarnings of_image, of_mask, of_intensity;
};

/// Opens a mask or an intensity image, which must have the grid of the image. Null if the path is empty.
Reader open_on_grid(const std::string& path, const io::VolumeInfo& image, const RunContext& context, FileWarnings& warnings) {
    Reader reader = open_companion(path, context.options.input);
    if (!reader) return reader;
    warnings.report(path, reader->info(), context.reporter);
    require_same_grid(image, reader->info());
    return reader;
}

Inputs open_inputs(const VolumeJob& job, const RunContext& context) {
    const LabelOptions& options = context.options;
    Inputs in;
    in.image = open_job(job, options.input);
    if (options.colour && in.image->info().channels == 1)
        throw ProgramError(ErrorKind::invalid_argument, job.input, "is not a colour image, which --colour needs",
                           "use --gradient for images with one value per voxel");
    in.of_image.report(job.input, in.image->info(), context.reporter);
    in.mask = open_on_grid(options.mask, in.image->info(), context, in.of_mask);
    in.intensity = open_on_grid(options.intensity, in.image->info(), context, in.of_intensity);
    return in;
}

void warn_of_nan(const std::string& path, std::int64_t voxels, const char* place, const Reporter& reporter) {
    if (voxels > 0) reporter.warning(path + ": contains NaN in " + counted(std::uint64_t(voxels), "voxel") + "; NaN is " + place);
}

std::uint64_t voxels_of(const SizeLimit& limit, const io::VolumeInfo& info, double (*round)(double)) {
    if (limit.unit == SizeLimit::Unit::voxels) return std::uint64_t(limit.amount);
    const auto world = world_of(info);
    if (!world)
        throw ProgramError(ErrorKind::invalid_argument, info.path, "has no usable affine, so sizes in mm3 are not defined",
                           "give sizes in voxels or --spacing");
    Properties one = describe(WideSums{{.n = 1}, 0, 0, 0}, {1, 1, 1}, world);
    // A limit of a whole number of voxels must be exact in spite of the rounding of a spacing such as 0.1.
    const double voxels = limit.amount / one.volume_mm3, nearest = std::round(voxels);
    return std::uint64_t(std::abs(voxels - nearest) < 1e-6 * nearest ? nearest : round(voxels));
}

Criteria criteria_for(const LabelOptions& options, const io::VolumeInfo& info) {
    Criteria c;
    if (options.min_size) c.min_voxels = voxels_of(*options.min_size, info, std::ceil);
    if (options.max_size) c.max_voxels = voxels_of(*options.max_size, info, std::floor);
    c.keep_largest = options.keep_largest;
    c.border = options.border == LabelOptions::Border::clear ? Criteria::Border::clear : Criteria::Border::keep;
    c.numbering = options.sort == SortOrder::size ? Numbering::by_size : Numbering::by_first_voxel;
    return c;
}

/// The faces that count as border. Faces between separate slices and faces of periodic axes do not count.
Extent faces_of(const LabelOptions& options, const Extent& extent) {
    Extent faces = extent;
    for (const auto& [axis, letter, n] : {std::tuple(Axis::x, 'x', &faces.nx), {Axis::y, 'y', &faces.ny}, {Axis::z, 'z', &faces.nz}})
        if (options.per_slice == axis || options.periodic.find(letter) != std::string::npos) *n = 1;
    return faces;
}

Selection select_components(const LabelledVolume& v, const LabelOptions& options, Axis slices) {
    const Criteria criteria = criteria_for(options, v.info);
    if (criteria.keep_all()) {  // before a candidate is listed: there can be as many as voxels
        Selection all;
        all.count = v.sums.size();
        return all;
    }
    std::vector<Candidate> candidates(v.sums.size());
    const bool by_border = options.border == LabelOptions::Border::clear;
    for (std::size_t row = 0; row < candidates.size(); ++row) {
        candidates[row].voxels = v.sums.voxels(row);
        if (by_border && touches_border(restore_axes(v.sums[row], slices), v.faces)) candidates[row].place = Candidate::Place::at_border;
    }
    return select(candidates, criteria);
}

/// Sums of the intensity image over the final labels, in raster order.
IntensitySums measure_intensity(io::VolumeReader& image, const Painter& painter, ProgressBar& progress) {
    const Extent& extent = image.info().extent;
    IntensitySums sums(image.info().type);
    RowStream rows(image);
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t r = 0; r < extent.rows(); ++r) {
        painter.paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::cached);
        sums.add_row<std::uint64_t>(r % extent.ny, r / extent.ny, labels, rows.next());
        if (r % 1024 == 0) progress.update("intensity", r, extent.rows());
    }
    return sums;
}

Axis slices_of(const LabelOptions& options) { return options.per_slice.value_or(Axis::z); }

/// Whether the foreground is held in memory before it is labelled.
bool holds_foreground(const LabelOptions& options) { return slices_of(options) != Axis::z || options.holes == LabelOptions::Holes::fill; }

/// A volume without results.
LabelledVolume unlabelled(const VolumeJob& job, const io::VolumeInfo& info, const LabelOptions& options) {
    LabelledVolume v;
    v.job = job;
    v.info = info;
    v.slices = options.per_slice;
    v.connectivity = connectivity_for(options, info);
    v.faces = faces_of(options, info.extent);
    return v;
}

/// The stages of one volume, in the order in which they are called.
class VolumeRun {
public:
    VolumeRun(const VolumeJob& job, RunContext& context)
        : context_(context), options_(context.options), in_(open_inputs(job, context)), v_(unlabelled(job, in_.image->info(), options_)) {
        if (!world_of(v_.info)) context_.reporter.warning(job.input + ": " + no_world_warning);
    }

    LabelledVolume label_measure_write() {
        if (!v_.job.output.empty()) io::check_label_files(v_.job.output, v_.info.extent, context_.outputs);
        const MemoryPlan plan = plan_that_fits();
        open_source();
        label_foreground(plan);
        measure();
        select();
        if (in_.intensity) measure_values();
        write();
        return std::move(v_);
    }

private:
    /// @throw Error out_of_memory if no plan fits
    MemoryPlan plan_that_fits() const {
        const MemoryPlan plan = plan_memory(options_, context_.choice, {*in_.image, in_.mask.get(), in_.intensity.get()},
                                            context_.pool.size(), context_.volumes);
        require_memory(plan, options_, v_.info);
        if (plan.slabs > 1)
            context_.reporter.detail(v_.job.input + ": streams " + std::to_string(plan.slabs) + " slabs of " +
                                     counted(std::uint64_t(plan.slices_per_stream_slab), "slice"));
        return plan;
    }

    void open_source() {
        const auto take = options_.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
        v_.rule = resolve(parse_threshold(options_.threshold), *in_.image, take);
        packer_.emplace(v_.info.type, v_.rule);
        source_.emplace(*in_.image, *packer_, in_.mask.get(), block_runs::default_isa(), keep_for(rule_of(options_)),
                        [this](std::int64_t done) { context_.progress.update("label", done, v_.info.extent.rows()); });
        v_.seconds.open = watch_.lap();
    }

    void label_foreground(const MemoryPlan& plan) {
        labelling_ =
            holds_foreground(options_) ? label_held() : label_source(request_for(options_, v_.info), *source_, plan.slices_at_a_time());
        v_.nan_voxels = source_->nan_voxels();
        v_.nan_voxels_of_mask = source_->nan_voxels_of_mask();
        v_.info.warnings = in_.image->info().warnings;
        in_.of_image.report(v_.job.input, v_.info, context_.reporter);
        if (in_.mask) in_.of_mask.report(options_.mask, in_.mask->info(), context_.reporter);
        warn_of_nan(v_.job.input, v_.nan_voxels, "always background", context_.reporter);
        warn_of_nan(options_.mask, v_.nan_voxels_of_mask, "outside the mask", context_.reporter);
        v_.components = labelling_->count();
        v_.source_values = labelling_->source_values();
    }

    /// Reads the source into memory, exchanges axes, fills holes, and labels the result in one piece.
    std::unique_ptr<block_runs::Labelling> label_held() {
        block_runs::Request request = request_for(options_, v_.info);
        VolumeBits held = read_bits(*source_, v_.info.extent, slices_of(options_));
        if (options_.holes == LabelOptions::Holes::fill) fill_holes(held, v_.connectivity, request.periodic, context_.pool);
        request.extent = held.extent;
        v_.seconds.hold = watch_.lap();
        VolumeBitsSource source(held);
        return label_source(request, source, 0);
    }

    std::unique_ptr<block_runs::Labelling> label_source(const block_runs::Request& request, block_runs::RowSource& source,
                                                        std::int64_t slices_per_stream_slab) const {
        return label(*context_.choice.algorithm, context_.choice.device, request, source, context_.pool,
                     {slices_per_stream_slab, v_.job.input});
    }

    void measure() {
        v_.sums = labelling_->measure();
        for (std::size_t row = 0; row < v_.sums.size(); ++row) v_.foreground += v_.sums.voxels(row);
        const block_runs::Seconds& seconds = labelling_->seconds();
        v_.seconds.pack = seconds.pack;
        v_.seconds.unite = seconds.unite;
        v_.seconds.number = seconds.number;
        v_.seconds.measure = seconds.measure;
        watch_.lap();
    }

    void select() {
        v_.selection = select_components(v_, options_, slices_of(options_));
        v_.seconds.select = watch_.lap();
    }

    Painter painter(ScalarType type) const {
        return {*labelling_, v_.info.extent, slices_of(options_), type, v_.selection.final_numbers, context_.pool};
    }

    /// Measures the values of the intensity image in the final components.
    void measure_values() {
        v_.intensity = measure_intensity(*in_.intensity, painter(ScalarType::u64), context_.progress);
        v_.intensity_scaling = in_.intensity->info().scaling;
        in_.of_intensity.report(options_.intensity, in_.intensity->info(), context_.reporter);
        if (v_.intensity->nan_voxels() > 0)
            context_.reporter.warning(options_.intensity + ": " + std::to_string(v_.intensity->nan_voxels()) +
                                      " voxels of components are NaN and left out");
        v_.seconds.intensity = watch_.lap();
    }

    /// Writes the label volume, once and in the final type, and the preview.
    void write() {
        const VolumeJob& job = v_.job;
        if (!job.output.empty()) {
            v_.label_type = label_type_for(options_, job.output, v_.selection.count);
            write_label_volume({job.output, v_.label_type, &v_.info, options_.compress}, painter(v_.label_type), context_);
        }
        if (!job.preview.empty()) write_preview();
        v_.seconds.write = watch_.lap();
    }

    /// Opens the image again, because a streamed labelling reads it with the first reader when labels are painted.
    void write_preview() {
        const Reader image = open_job(v_.job, options_.input);
        if (image->info().extent != v_.info.extent || image->info().type != v_.info.type)
            throw Error(ErrorKind::changed_file, v_.job.input, "has changed while it was labelled");
        const auto volume = v_.job.volume ? v_.job.volume : open_options(options_.input).volume;
        preview::write({painter(ScalarType::u64), *image, volume, v_.selection.count}, context_.progress,
                       context_.outputs.create(v_.job.preview));
    }

    Stopwatch watch_;  // first, because opening the inputs takes time
    RunContext& context_;
    const LabelOptions& options_;
    Inputs in_;
    LabelledVolume v_;
    std::optional<ForegroundPacker> packer_;
    std::optional<ReaderSource> source_;  // must outlive labelling_, which may read it again to paint
    std::unique_ptr<block_runs::Labelling> labelling_;
};

}  // namespace

LabelledVolume label_volume(const VolumeJob& job, RunContext& context) { return VolumeRun(job, context).label_measure_write(); }

}  // namespace voxcc
