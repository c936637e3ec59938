#include "src/device.h"

#include "kernels3d/block_runs/engine.h"
#include "kernels3d/exec/cuda.h"
#include "src/report.h"

namespace voxcc {
namespace {

/// Several devices are for block-runs that join by foreground.
void require_one_device(const AlgorithmRow& row, const Device& asked, const LabelOptions& options) {
    if (asked.numbers.size() == 1) return;
    const std::string subject = "--device " + options.device, remedy = "name one device, as in --device cuda:0";
    if (row.is_published()) throw Error(ExitCode::usage, subject, std::string(row.name) + " runs on one device only", remedy);
    if (rule_of(options) != Rule::foreground)
        throw Error(ExitCode::usage, subject, "several devices do not join voxels by " + std::string(name_of(rule_of(options))), remedy);
}

}  // namespace

Rule rule_of(const LabelOptions& options) {
    if (options.gradient) return Rule::gradient;
    return options.mode == LabelOptions::Mode::multilabel ? Rule::equal_values : Rule::foreground;
}

Choice choose(const LabelOptions& options, int threads) {
    Choice choice;
    const Device asked = device_of(options.device).value_or(Device{});  // not of a device: auto
    choice.row = find_algorithm(options.algorithm != "auto" ? options.algorithm : "block-runs");
    require_one_device(*choice.row, asked, options);
    choice.device = present(asked, "--device " + options.device);
    const bool cuda = choice.device.kind == Device::Kind::cuda;
    if (cuda && !choice.row->runs_on(Device::Kind::cuda))
        throw Error(ExitCode::usage, "--algorithm " + std::string(choice.row->name), "does not run on --device " + options.device,
                    "see 'voxcc algorithms'");
    require_rule(*choice.row, rule_of(options), choice.device.kind);
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
