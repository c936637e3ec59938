#include "src/commands/input_volumes.h"

#include "io/kept_files.h"
#include "src/errors/program_error.h"
#include "src/pipeline/axis_positions.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/series_files.h"

#include <algorithm>

namespace voxcc {
namespace {

LabelledVolume label_one(const VolumeJob& job, RunContext& context) {
    LabelledVolume v = label_volume(job, context);
    context.reporter.detail(job.input + ": " + text_of(v.described.info.extent) + ", " + counted(v.labelled.count(), "component") + ", " +
                            std::to_string(v.selection.count) + " kept");
    return v;
}

std::vector<LabelledVolume> label_in_turn(const std::vector<VolumeJob>& jobs, RunContext& context) {
    std::vector<LabelledVolume> volumes;
    for (const VolumeJob& job : jobs) {
        if (context.pace) context.pace->begin_volume(volumes.size(), jobs.size());
        volumes.push_back(label_one(job, context));
    }
    return volumes;
}

/// Each volume has threads of its own, as many as the pool of the context.
std::vector<LabelledVolume> label_side_by_side(const std::vector<VolumeJob>& jobs, RunContext& context) {
    if (context.pace) context.pace->end_labelling();  // volumes are read at several positions
    std::vector<LabelledVolume> volumes(jobs.size());
    std::vector<std::exception_ptr> errors(jobs.size());
    ThreadPool workers(std::min(context.volumes_of_input, int(jobs.size())));
    try {
        workers.for_each(std::int64_t(jobs.size()), [&](std::int64_t i) {
            try {
                ThreadPool pool(context.pool.size());
                StageClock clock;
                RunContext own{context.options,
                               context.threshold,
                               context.choice,
                               context.devices,
                               pool,
                               context.volumes,
                               context.volumes_of_input,
                               context.outputs,
                               context.reporter,
                               context.progress,
                               clock,
                               nullptr,
                               context.series};
                volumes[std::size_t(i)] = label_one(jobs[std::size_t(i)], own);
            } catch (...) {
                if (context.series) context.series->fail();
                errors[std::size_t(i)] = std::current_exception();
                throw;
            }
        });
    } catch (...) {
        for (const std::exception_ptr& error : errors)
            if (error) std::rethrow_exception(error);
        throw;
    }
    StageSeconds seconds;
    for (const LabelledVolume& v : volumes) seconds += v.seconds;
    context.clock.add(seconds);
    return volumes;
}

bool has_own_files(const VolumeJob& job) { return !job.volumes.empty() || !job.preview.empty(); }

/// The volumes share decoders and pages. The files of single volumes are written in turn, so that their order is always the
/// same.
std::vector<LabelledVolume> label_each(std::vector<VolumeJob> jobs, RunContext& context) {
    if (jobs.size() == 1) return label_in_turn(jobs, context);
    const auto kept = std::make_shared<io::KeptFiles>();
    for (VolumeJob& job : jobs) job.image.open.kept = kept;
    const bool in_turn = context.volumes_of_input == 1 || has_own_files(jobs.front());
    std::vector<LabelledVolume> volumes = in_turn ? label_in_turn(jobs, context) : label_side_by_side(jobs, context);
    for (LabelledVolume& v : volumes) v.job.image.open.kept.reset();
    for (const auto& [path, text] : kept->decoders.verify_rest()) context.reporter.warning(path + ": " + text);
    return volumes;
}

/// The options of a second labelling, which writes labels and measures nothing.
LabelOptions without_measurements(LabelOptions options) {
    options.intensity = {};
    options.shape = Shape::skip;
    options.contacts.clear();
    return options;
}

/// Labels the volumes again, without messages, and writes the files that hold all volumes.
void write_series(const std::vector<VolumeJob>& jobs, SeriesFiles& files, RunContext& context, std::vector<LabelledVolume>& volumes) {
    std::vector<VolumeJob> again = jobs;
    for (VolumeJob& job : again) {
        job.volumes.clear();
        job.preview.clear();
        job.tile = VolumeJob::Tile::none;
    }
    const LabelOptions options = without_measurements(context.options);
    const Reporter silent(MessageOptions{.verbosity = 0});
    RunContext writing{options,
                       context.threshold,
                       context.choice,
                       context.devices,
                       context.pool,
                       context.volumes,
                       context.volumes_of_input,
                       context.outputs,
                       silent,
                       context.progress,
                       context.clock,
                       nullptr,
                       &files};
    std::vector<LabelledVolume> written = label_each(again, writing);
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        volumes[i].written.types.merge(written[i].written.types);
        volumes[i].seconds += written[i].seconds;
    }
}

/// Volumes without a common description have different sizes or positions, so one file cannot hold them. @throw ProgramError (64)
void require_common_grid(ChosenVolume image) {
    image.open.volume.reset();
    const io::VolumeInfo info = describe(image);
    if (info.volumes > 1 && info.extent.voxels() == 0)
        throw ProgramError(ErrorKind::unsupported, image.path, "its volumes have different sizes or positions",
                           "write one file per volume, with {volume} in its name");
}

}  // namespace

std::vector<LabelledVolume> label_volumes(const std::vector<VolumeJob>& jobs, RunContext& context) {
    const VolumePaths& series = jobs.front().series;
    if (series.empty()) return label_each(jobs, context);
    require_common_grid(jobs.front().image);
    SeriesFiles::Volumes known{
        .info = open(jobs.front().image)->info(), .count = std::int64_t(jobs.size()), .threads = context.pool.size()};
    std::vector<std::int64_t> numbers;
    for (const VolumeJob& job : jobs) numbers.push_back(job.image.open.volume.value_or(0));
    known.info.volume_axes = axes_along(numbers, known.info.volume_axes);
    std::vector<LabelledVolume> volumes;
    const bool in_one_pass = types_are_known(series, context.options);
    if (!in_one_pass) {
        volumes = label_each(jobs, context);
        for (const LabelledVolume& v : volumes) known.largest.add(v.labelled, v.selection);
        known.labelled = &volumes;
    }
    SeriesFiles files(series, std::move(known), context.options, context.outputs);
    if (in_one_pass) {
        context.series = &files;
        volumes = label_each(jobs, context);
        context.series = nullptr;
    } else {
        write_series(jobs, files, context, volumes);
    }
    files.finish();
    return volumes;
}

}  // namespace voxcc
