#include "src/pipeline/device.h"

#include <voxcc/device.h>
#include <voxcc/label.h>
#include "src/errors/program_error.h"
#include "src/laboratory/laboratory.h"
#include "src/messages/report.h"

namespace voxcc {
namespace {

/// The algorithm of --algorithm auto. ziegler-master-slave is the fastest of those that compare colours:
/// docs/develop/algorithms/times.md.
std::string default_algorithm(Rule rule) { return rule == Rule::colour ? "ziegler-master-slave" : "block-runs"; }

/// Only block-runs can use several devices.
void require_one_device(const Algorithm& algorithm, const Device& asked, const LabelOptions& options) {
    if (asked.numbers.size() == 1 || !algorithm.is_published()) return;
    throw ProgramError(ErrorKind::invalid_argument, "--device " + options.device, std::string(algorithm.name) + " runs on one device only",
                       "name one device, as in --device cuda:0");
}

/// The device that --device auto chooses, and the reason.
struct Automatic {
    Device device;
    std::string why;
    Choice::Devices devices = Choice::Devices::cpu_only;
};
Automatic automatic(const Algorithm& algorithm, const LabelOptions& options, int threads, const std::function<std::int64_t()>& voxels) {
    if (const std::string none = why_no_cuda(0); !none.empty()) return {{}, none};
    constexpr auto several = Choice::Devices::several;
    if (algorithm.is_published() || rule_of(options) != Rule::foreground)
        return {{}, "the speed of a GPU is known only for block-runs by foreground", several};
    const std::optional<std::int64_t> worth = least_voxels_for_gpu(threads);
    if (!worth) return {{}, "no GPU is faster than that many threads", several};
    const std::int64_t all = voxels();
    const std::string pays = "a GPU is faster from " + std::to_string(*worth / 1'000'000) + " million voxels on; the inputs have " +
                             std::to_string(all / 1'000'000) + " million";
    return {all >= *worth ? Device{Device::Kind::cuda} : Device{}, pays, several};
}

}  // namespace

std::optional<std::int64_t> least_voxels_for_gpu(int threads) {
    constexpr double cpu_seconds_per_voxel = 0.7e-9;    // one thread: unite, number, measure and paint
    constexpr double cuda_seconds_per_voxel = 0.09e-9;  // includes the transfer of bits to the device and of 1-byte labels to the host
    constexpr double cuda_start = 0.3;                  // seconds, for the first CUDA call of a process
    const double gain = cpu_seconds_per_voxel / threads - cuda_seconds_per_voxel;
    if (gain <= 0) return std::nullopt;
    return std::int64_t(cuda_start / gain);
}

Rule rule_of(const LabelOptions& options) {
    if (options.gradient) return Rule::gradient;
    if (options.colour) return Rule::colour;
    const bool by_value = options.mode == LabelOptions::Mode::multilabel || options.signs == LabelOptions::Signs::split;
    return by_value ? Rule::equal_values : Rule::foreground;
}

Choice choose(const LabelOptions& options, int threads, const std::function<std::int64_t()>& voxels) {
    Choice choice;
    choice.algorithm = options.algorithm != "auto" ? find_algorithm(options.algorithm)
                                                   : find_or_load_algorithm(default_algorithm(rule_of(options)), "--colour");
    Automatic taken;
    if (options.device == "auto") taken = automatic(*choice.algorithm, options, threads, voxels);
    const Device asked = device_of(options.device).value_or(taken.device);  // "auto" is not the name of a device
    choice.why = taken.why;
    choice.devices = taken.devices;
    // "all" and "auto" include the CPU. Several volumes at the same time are many small ones rather than one large volume.
    if (options.jobs > 1 && (options.device == "all" || options.device == "auto")) choice.during_start = DuringStart::use_cpu;
    require_one_device(*choice.algorithm, asked, options);
    // The list of all devices takes 0.1 s. The thread that starts the devices makes it, while the CPU labels the first volumes.
    const bool is_found_later = choice.during_start == DuringStart::use_cpu && asked.numbers.empty() && has_cuda_driver();
    choice.device = is_found_later ? asked : require_device(asked, "device " + options.device);
    const bool cuda = choice.device.kind == Device::Kind::cuda;
    if (cuda && !choice.algorithm->runs_on(Device::Kind::cuda))
        throw ProgramError(ErrorKind::invalid_argument, "--algorithm " + std::string(choice.algorithm->name),
                           "does not run on --device " + options.device, "see 'voxcc algorithms'");
    if (!supports(*choice.algorithm, rule_of(options))) why_no_lab();  // the error lists the algorithms of the module, too
    require_rule(*choice.algorithm, rule_of(options), choice.device.kind);
    const std::string name(choice.algorithm->name);
    if (cuda) choice.text = name_of(choice.device) + ", " + name;
    else
        choice.text = "cpu, " + name + (choice.algorithm->is_published() ? "" : " (" + std::string(name_of(default_isa())) + ")") + ", " +
                      counted(std::uint64_t(threads), "thread");
    return choice;
}

}  // namespace voxcc
