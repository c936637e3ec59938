#include "src/pipeline/pipeline.h"

#include "src/messages/program_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_writing.h"
#include "src/pipeline/level.h"
#include "src/pipeline/painter.h"
#include "src/pipeline/plan.h"
#include "src/pipeline/preview.h"
#include "src/pipeline/sources.h"

#include <cmath>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// What is read for one volume.
struct Inputs {
    Reader image, mask, intensity;
};

Reader open_companion(const std::string& path, const io::VolumeInfo& image, const LabelOptions& options, const Reporter& reporter) {
    Reader reader = io::open_volume(path, {.spacing = options.input.spacing, .external = options.input.external});
    for (const std::string& warning : reader->info().warnings) reporter.warning(path + ": " + warning);
    require_same_grid(image, reader->info());
    return reader;
}

Inputs open_inputs(const VolumeJob& job, const Surroundings& around) {
    const LabelOptions& options = around.options;
    Inputs in;
    io::OpenOptions open = open_options(options.input);
    if (job.volume) open.volume = job.volume;
    in.image = io::open_volume(job.input, open);
    for (const std::string& warning : in.image->info().warnings) around.reporter.warning(job.input + ": " + warning);
    if (!options.mask.empty()) in.mask = open_companion(options.mask, in.image->info(), options, around.reporter);
    if (!options.intensity.empty()) in.intensity = open_companion(options.intensity, in.image->info(), options, around.reporter);
    return in;
}

void warn_of_nan(const std::string& path, std::int64_t voxels, const char* place, const Reporter& reporter) {
    if (voxels > 0) reporter.warning(path + ": contains NaN in " + counted(std::uint64_t(voxels), "voxel") + "; NaN is " + place);
}

std::uint64_t voxels_of(const SizeLimit& limit, const io::VolumeInfo& info, double (*round)(double)) {
    if (limit.unit == SizeLimit::Unit::voxels) return std::uint64_t(limit.amount);
    const auto world = world_of(info);
    if (!world)
        throw ProgramError(ErrorKind::invalid_argument, info.path, "has no usable affine, so a size in mm3 means nothing",
                           "give sizes in voxels or --spacing");
    Properties one = describe(WideSums{{.n = 1}, 0, 0, 0}, {1, 1, 1}, world);
    // A limit that is a whole number of voxels must not be missed for the rounding of a spacing such as 0.1.
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

/// Faces that count as border: not those of slices that are apart, nor those that wrap around.
Extent faces_of(const LabelOptions& options, const Extent& extent) {
    Extent faces = extent;
    for (const auto& [axis, letter, n] : {std::tuple(Axis::x, 'x', &faces.nx), {Axis::y, 'y', &faces.ny}, {Axis::z, 'z', &faces.nz}})
        if (options.per_slice == axis || options.periodic.find(letter) != std::string::npos) *n = 1;
    return faces;
}

/// In the axes that the engine sees.
block_runs::Periodic periodic_of(const LabelOptions& options, Axis slices) {
    const char* order = slices == Axis::z ? "xyz" : slices == Axis::y ? "xzy" : "yzx";
    block_runs::Periodic periodic;
    for (std::size_t a = 0; a < 3; ++a) periodic.axes[a] = options.periodic.find(order[a]) != std::string::npos;
    return periodic;
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

class Stopwatch {
public:
    /// Seconds since the last call.
    double lap() {
        const double t = now(), passed = t - last_;
        last_ = t;
        return passed;
    }

private:
    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    double last_ = now();
};

}  // namespace

Connectivity connectivity_for(const LabelOptions& options, const io::VolumeInfo& info) {
    const bool flat = options.per_slice || info.extent.nz == 1;
    const int number = options.connectivity ? options.connectivity : flat ? 8 : 26;
    if (!flat && (number == 4 || number == 8))
        throw ProgramError(
            ErrorKind::invalid_argument, info.path,
            "is a volume of " + std::to_string(info.extent.nz) + " slices, which has no connectivity " + std::to_string(number),
            "use 6, 18 or 26, or --per-slice");
    return *connectivity_of(number);
}

LabelledVolume label_volume(const VolumeJob& job, Surroundings& around) {
    const LabelOptions& options = around.options;
    Stopwatch watch;
    LabelledVolume v;

    // Load.
    Inputs in = open_inputs(job, around);
    v.job = job;
    v.info = in.image->info();
    v.slices = options.per_slice;
    v.connectivity = connectivity_for(options, v.info);
    v.faces = faces_of(options, v.info.extent);
    if (!world_of(v.info)) around.reporter.warning(job.input + ": the affine is singular or not finite, so what is in mm is n/a");
    const auto take = options.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
    const MemoryPlan memory =
        plan_memory(options, around.choice, {*in.image, in.mask.get(), in.intensity.get()}, around.pool.size(), around.volumes);
    require_memory(memory, options, v.info);
    if (memory.slabs > 1)
        around.reporter.detail(job.input + ": streams " + std::to_string(memory.slabs) + " slabs of " +
                               counted(std::uint64_t(memory.slices_per_slab), "slice"));
    v.rule = resolve(parse_threshold(options.threshold), *in.image, take);
    const ForegroundPacker packer(v.info.type, v.rule);
    const Axis slices = options.per_slice.value_or(Axis::z);
    const std::int64_t rows = v.info.extent.rows();
    ReaderSource stream(*in.image, packer, in.mask.get(), block_runs::best_isa(), keep_for(rule_of(options)),
                        [&](std::int64_t done) { around.progress.update("label", done, rows); });
    v.seconds.open = watch.lap();

    // Label and number.
    block_runs::Request request;
    request.extent = v.info.extent;
    request.connectivity = v.connectivity;
    request.rule = rule_of(options);
    request.gradient = options.gradient.value_or(0);
    request.periodic = periodic_of(options, slices);
    HeldBits held;
    std::optional<HeldSource> held_source;
    if (slices != Axis::z || options.holes == LabelOptions::Holes::fill) {
        held = hold(stream, v.info.extent, slices);
        if (options.holes == LabelOptions::Holes::fill) fill_holes(held, v.connectivity, request.periodic, around.pool);
        request.extent = held.extent;
        held_source.emplace(held);
    }
    v.seconds.hold = watch.lap();
    block_runs::RowSource& source = held_source ? static_cast<block_runs::RowSource&>(*held_source) : stream;
    const auto labelling = memory.slabs > 1 ? block_runs::label_streamed(request, source, around.pool, memory.slices_per_slab, job.input)
                                            : label(*around.choice.row, around.choice.device, request, source, around.pool);
    held = {};
    warn_of_nan(job.input, stream.nan_voxels(), "always background", around.reporter);
    warn_of_nan(options.mask, stream.nan_voxels_of_mask(), "outside the mask", around.reporter);
    v.components = labelling->count();
    v.source_values = labelling->source_values();

    // Measure and select.
    v.sums = labelling->measure();
    for (std::size_t row = 0; row < v.sums.size(); ++row) v.foreground += v.sums.voxels(row);
    v.seconds.pack = labelling->seconds().pack;
    v.seconds.unite = labelling->seconds().unite;
    v.seconds.number = labelling->seconds().number;
    v.seconds.measure = labelling->seconds().measure;
    watch.lap();
    v.selection = select_components(v, options, slices);
    v.seconds.select = watch.lap();

    // Paint, once, in the final type.
    const auto painter = [&](ScalarType type) {
        return Painter(*labelling, v.info.extent, slices, type, v.selection.final_numbers, around.pool);
    };
    if (in.intensity) {
        v.intensity = measure_intensity(*in.intensity, painter(ScalarType::u64), around.progress);
        v.intensity_scaling = in.intensity->info().scaling;
        if (v.intensity->nan_voxels() > 0)
            around.reporter.warning(options.intensity + ": " + std::to_string(v.intensity->nan_voxels()) +
                                    " voxels of components are NaN and left out");
        v.seconds.intensity = watch.lap();
    }
    if (!job.output.empty()) {
        v.label_type = label_type_for(options, job.output, v.selection.count);
        write_label_volume({job.output, v.label_type, &v.info, options.compress}, painter(v.label_type), around);
    }
    if (!job.preview.empty()) write_preview(painter(ScalarType::u64), v.info.extent, around.outputs.create(job.preview));
    v.seconds.write = watch.lap();
    return v;
}

}  // namespace voxcc
