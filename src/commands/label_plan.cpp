#include "src/commands/label_plan.h"

#include <voxcc/threads.h>
#include "src/commands/earlier_run.h"
#include "src/errors/exit_codes.h"
#include "src/pipeline/input.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/volume_plan.h"

#include <algorithm>

namespace voxcc {

namespace {

/// The number of volumes of an input that are labelled; 0 if it cannot be opened.
std::int64_t volumes_of(const BatchInput& input, const LabelOptions& options) {
    try {
        return std::int64_t(jobs_for(input, options).size());
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace

std::int64_t voxels_of(const LabelOptions& options) {
    std::int64_t voxels = 0;
    for (const BatchInput& input : options.inputs) {
        try {
            for (const VolumeJob& job : jobs_for(input, options)) voxels += open(job.image)->info().extent.voxels();
        } catch (const Error&) {
            continue;
        }
    }
    return voxels;
}

Concurrency concurrency(const LabelOptions& options) {
    const std::vector<BatchInput>& inputs = options.inputs;
    Concurrency n;
    n.inputs = int(std::clamp<std::int64_t>(options.jobs, 1, std::max<std::int64_t>(1, std::int64_t(inputs.size()))));
    const int most = options.jobs / n.inputs;
    if (most <= 1) return n;
    for (const BatchInput& input : inputs)
        n.volumes_per_input = std::max(n.volumes_per_input, int(std::min<std::int64_t>(most, volumes_of(input, options))));
    return n;
}

int print_plan(const LabelOptions& options) {
    const int threads = options.threads ? options.threads : available_threads();
    const Choice choice = choose(options, threads, [&] { return voxels_of(options); });
    const bool may_skip = options.completed == LabelOptions::Completed::skip;
    nlohmann::ordered_json summary{{"device", name_of(choice.device)},
                                   {"algorithm", choice.algorithm->name},
                                   {"threads", threads},
                                   {"volumes", nlohmann::ordered_json::array()}};
    if (may_skip) summary["skipped"] = nlohmann::ordered_json::array();
    std::int64_t most = 0, most_of_tiles = 0;
    std::optional<ProgramError> refusal;
    const int volumes = concurrency(options).volumes();
    ReadRecords records(options);
    LabelOptions without_inputs = options;
    without_inputs.inputs.clear();
    const std::size_t tiles = output_paths(options).tiles;
    for (const BatchInput& input : options.inputs) {
        const InputTask task = task_for(input, options);
        if (may_skip && compare_with_earlier_run(task, options, records).is_up_to_date()) {
            summary["skipped"].push_back(input.name);
            continue;
        }
        most_of_tiles = std::max(most_of_tiles, bytes_of_tiles(task, tiles));
        const LabelOptions own = options_for(without_inputs, task, tiles);
        for (const VolumeJob& job : task.jobs) {
            VolumePlan volume = plan(own, choice, job, threads, volumes);
            if (!refusal) refusal = std::move(volume.refusal);
            summary["volumes"].push_back(std::move(volume.json));
            most = std::max(most, summary["volumes"].back()["memory_bytes"].get<std::int64_t>());
        }
    }
    summary["memory_bytes"] = most * volumes + most_of_tiles;
    print_result(summary.dump(2) + "\n");
    if (refusal) throw *refusal;
    return int(ExitCode::ok);
}

}  // namespace voxcc
