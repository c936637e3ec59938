#include "src/device.h"

#include "kernels3d/block_runs/engine.h"
#include "kernels3d/exec/cuda.h"
#include "src/report.h"

namespace voxcc {
Rule rule_of(const LabelOptions& options) {
    if (options.gradient) return Rule::gradient;
    return options.mode == LabelOptions::Mode::multilabel ? Rule::equal_values : Rule::foreground;
}

Choice choose(const LabelOptions& options, int threads) {
    Choice choice;
    choice.device = present(device_of(options.device).value_or(Device{}), "--device " + options.device);  // none of its own: auto
    const bool cuda = choice.device.kind == Device::Kind::cuda;
    choice.row = find_algorithm(options.algorithm != "auto" ? options.algorithm : "block-runs");
    if (cuda && !choice.row->runs_on(Device::Kind::cuda))
        throw Error(ExitCode::usage, "--algorithm " + std::string(choice.row->name), "does not run on --device " + options.device,
                    "see 'voxcc algorithms'");
    require_rule(*choice.row, rule_of(options), choice.device.kind);
    if (choice.device.numbers.size() > 1 && (choice.row->is_published() || rule_of(options) != Rule::foreground))
        throw Error(ExitCode::usage, "--device " + options.device,
                    choice.row->is_published() ? "--algorithm " + std::string(choice.row->name) + " runs on one device only"
                                               : "several devices join voxels by foreground alone",
                    "name one device, as in --device cuda:" + std::to_string(choice.device.numbers.front()));
    if (cuda && !choice.row->is_published() && rule_of(options) != Rule::foreground)
        throw Error(ExitCode::usage, "--device " + options.device,
                    std::string(choice.row->name) + " does not join voxels by " + std::string(name_of(rule_of(options))) + " on a GPU",
                    "use --device cpu, or --algorithm ziegler-links");
    const std::string name(choice.row->name);
    if (cuda) choice.text = name_of(choice.device) + ", " + name;
    else
        choice.text = "cpu, " + name +
                      (choice.row->is_published() ? "" : " (" + std::string(block_runs::name_of(block_runs::best_isa())) + ")") + ", " +
                      counted(std::uint64_t(threads), "thread");
    if (options.device == "auto") {
        const std::string none = exec::why_no_cuda(0);
        choice.why = none.empty() ? "the default algorithm runs on the CPU" : none;
    }
    return choice;
}

}  // namespace voxcc
