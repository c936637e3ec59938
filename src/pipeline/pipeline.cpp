#include "src/pipeline/pipeline.h"

#include "src/pipeline/kept_components.h"
#include "src/pipeline/measured_components.h"
#include "src/pipeline/selection.h"
#include "src/pipeline/written_volumes.h"

namespace voxcc {
namespace {

/// Runs the stages of a volume. Its files are closed when this function returns.
/// @throw Error of any kind
LabelledVolume run_stages(const VolumeJob& job, RunContext& context) {
    OpenedVolume volume = open_volume(job, context);
    const MemoryPlan plan = plan_volume(volume, context);
    try {
        LabelledForeground foreground = label_foreground(volume, plan, context);
        Selection selection = select_components(volume, foreground, context);
        MeasuredComponents measured = measure_components(volume, foreground, selection, context);
        keep_components({job, volume.described, foreground.components, selection, measured}, context.options, selection, measured);
        measured.contacts = measure_contacts(volume, foreground, selection, context);
        WrittenVolumes written = write_outputs(volume, foreground, selection, context);
        // The labelling uses the memory limit of its components. From here on the result owns the limit, which outlives the labelling.
        return {.job = job,
                .described = std::move(volume.described),
                .labelled = std::move(foreground.components),
                .selection = std::move(selection),
                .measured = std::move(measured),
                .written = std::move(written),
                .seconds = {}};
    } catch (const MemoryLimitReached&) {
        throw too_many_components(plan, context.options, volume.described.info);
    }
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
