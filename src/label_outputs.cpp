#include "src/label_outputs.h"

#include "src/naming.h"

namespace voxcc {
namespace {

/// As jobs_for(); none for an input that cannot be opened, which is reported when it is worked on.
std::vector<VolumeJob> jobs_if_readable(const std::string& input, const LabelOptions& options) {
    try {
        return jobs_for(input, options);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

std::vector<VolumeJob> jobs_for(const std::string& input, const LabelOptions& o) {
    const auto job = [&](std::optional<std::int64_t> volume) {
        return VolumeJob{input, volume, expand(o.output, input, volume), expand(o.preview, input, volume)};
    };
    if (o.input.volume != "all") return {job(std::nullopt)};
    io::OpenOptions open;
    open.dataset = o.input.dataset, open.external = o.input.external;
    std::vector<VolumeJob> jobs;
    const std::int64_t volumes = io::describe_volume(input, open).volumes;
    for (std::int64_t v = 0; v < volumes; ++v) jobs.push_back(job(v));
    for (const std::string& path : {o.output, o.preview})
        if (volumes > 1 && !path.empty() && path.find("{volume}") == std::string::npos)
            throw Error(ExitCode::usage, "--output", "'" + path + "' is one place for " + std::to_string(volumes) + " volumes",
                        "put {volume} into it, as in out_{volume}.nii.gz");
    return jobs;
}

void refuse_inputs_as_outputs(const LabelOptions& options, const std::vector<std::string>& inputs, const io::OutputFiles& outputs) {
    const auto refuse = [&](const std::string& file) {
        if (!file.empty() && file != "-") outputs.refuse_input(file);
    };
    refuse(options.json);
    for (const std::string& input : inputs) {
        refuse(expand(options.stats, input, std::nullopt));
        for (const VolumeJob& job : jobs_if_readable(input, options)) {
            refuse(job.preview);
            if (job.output.empty()) continue;
            for (const std::string& file : io::files_of_label_volume(job.output, options.compress)) refuse(file);
        }
    }
}

}  // namespace voxcc
