#include "src/device.h"

#include "kernels3d/block_runs/engine.h"
#include "kernels3d/exec/cuda.h"
#include "src/report.h"

namespace voxcc {
namespace {

Device device_of(const LabelOptions& options) {
    if (options.device == "auto" || options.device == "cpu") return {};
    const std::size_t colon = options.device.find(':');
    const Device device{Device::Kind::cuda, colon == std::string::npos ? 0 : std::stoi(options.device.substr(colon + 1))};
    if (const std::string why = exec::why_no_cuda(device.number); !why.empty())
        throw Error(ExitCode::no_device, "--device " + options.device, why, "use --device cpu or auto");
    return device;
}

}  // namespace

Rule rule_of(const LabelOptions& options) {
    if (options.gradient) return Rule::gradient;
    return options.mode == LabelOptions::Mode::multilabel ? Rule::equal_values : Rule::foreground;
}

std::string name_of(const Device& device) { return device.kind == Device::Kind::cuda ? "cuda:" + std::to_string(device.number) : "cpu"; }

Choice choose(const LabelOptions& options, int threads) {
    Choice choice;
    choice.device = device_of(options);
    const bool cuda = choice.device.kind == Device::Kind::cuda;
    choice.row = find_algorithm(options.algorithm != "auto" ? options.algorithm : "block-runs");
    if (cuda && !choice.row->runs_on(Device::Kind::cuda))
        throw Error(ExitCode::usage, "--algorithm " + std::string(choice.row->name), "does not run on --device " + options.device,
                    "see 'voxcc algorithms'");
    require_rule(*choice.row, rule_of(options), choice.device.kind);
    const std::string name(choice.row->name);
    if (cuda) choice.text = options.device + ", " + name;
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
