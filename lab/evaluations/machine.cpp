// Runs and times algorithms on the CPU, on one CUDA device, or on several.
#include "lab/evaluations/machine.h"
#include "kernels3d/api/algorithm_functions.h"

#include <voxcc/label.h>
#include <voxcc/threads.h>

#include <unistd.h>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <new>

namespace voxcc::bench {
namespace {

/// The CPU name from /proc/cpuinfo; empty on systems other than Linux.
std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            if (const std::size_t at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
    return {};
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

struct Free {
    void operator()(std::uint32_t* p) const { std::free(p); }
};
using Labels = std::unique_ptr<std::uint32_t, Free>;

/// New memory, aligned to 64 bytes, because streaming stores need this alignment.
Labels new_labels(std::size_t n) {
    Labels labels(static_cast<std::uint32_t*>(std::aligned_alloc(64, (n * sizeof(std::uint32_t) + 63) & ~std::size_t{63})));
    if (!labels) throw std::bad_alloc();
    return labels;
}

std::string now_in_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text;
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

Machine::Machine(const Device& device, int threads, const RunSettings& settings)
    : device_(require_device(device, "device " + name_of(device))),
      settings_(settings),
      pool_(threads > 0 ? threads : available_threads()) {}

bool Machine::runs(const Algorithm& algorithm) const {
    return device_.kind == Device::Kind::cpu ||
           (device_.numbers.size() > 1 ? algorithm.functions->label_cuda != nullptr : algorithm.functions->run_cuda != nullptr);
}

template <class F>
void Machine::in_pieces(std::int64_t n, const F& f) {
    const std::int64_t pieces = pool_.size();
    pool_.for_each(pieces, [&](std::int64_t p) { f(n * p / pieces, n * (p + 1) / pieces); });
}

Run Machine::run_on_cpu(const Algorithm& algorithm, const Input& input, Measure measure) {
    const Extent& extent = input.extent;
    const std::vector<std::uint8_t>& voxels = input.voxels;
    Run run;
    Stopwatch watch;
    const Labels labels = new_labels(voxels.size());
    in_pieces(extent.voxels(), [&](std::int64_t begin, std::int64_t end) { std::fill(labels.get() + begin, labels.get() + end, 0u); });
    const double allocation = 1000 * watch.lap();
    if (algorithm.is_published()) {
        RunSettings settings = settings_;
        settings.timing = Timing::each;
        MeasuredRun done = measure_run(algorithm, device_, extent, input.connectivity, voxels.data(), labels.get(), pool_, measure,
                                       settings, input.values);
        run.labelling = 1000 * watch.lap();
        run.phases = std::move(done.phases);
        run.components = done.components;
        run.bytes = done.bytes, run.property_bytes = done.property_bytes, run.allocated = done.allocated;
    } else {
        const auto labelling = label(view(voxels.data(), extent), {.connectivity = input.connectivity}, {.pool = &pool_});
        labelling->prepare_paint(ScalarType::u32, {});
        const double numbered = 1000 * watch.lap();
        const std::int64_t tasks = std::min<std::int64_t>(extent.rows(), 64 * pool_.size());
        pool_.for_each(tasks, [&](std::int64_t task) {
            const std::int64_t first = extent.rows() * task / tasks, end = extent.rows() * (task + 1) / tasks;
            labelling->paint({first, end - first}, reinterpret_cast<std::byte*>(labels.get() + first * extent.nx), Stores::streaming);
        });
        const double paint = 1000 * watch.lap();
        run.labelling = numbered + paint;
        const Seconds& s = labelling->seconds();
        for (const auto& [name, seconds] : {std::pair("pack", s.pack), {"unite", s.unite}, {"number", s.number}})
            run.phases.push_back({name, 1000 * seconds, 1});
        run.phases.push_back({"paint", paint, 1});
        if (measure == Measure::late) {
            labelling->measure();
            run.phases.push_back({"measure", 1000 * watch.lap(), 1});
            run.labelling += run.phases.back().milliseconds;
        }
        run.components = labelling->count();
    }
    run.phases.insert(run.phases.begin(), {"allocation", allocation, 1});
    run.all = allocation + run.labelling;
    return run;
}

Run Machine::run(const Algorithm& algorithm, const Input& input, Measure measure) {
    if (device_.kind == Device::Kind::cpu) return run_on_cpu(algorithm, input, measure);
    const Extent& extent = input.extent;
    if (device_.numbers.size() > 1) {
        if (measure != Measure::none)
            throw Error(ErrorKind::unsupported, "device " + name_of(device_), "sums are not measured on several devices; name one device");
        const auto times_on = [&](std::span<const int> devices) {
            return measure_cuda_slabs(devices, input.extent, input.connectivity, input.voxels.data());
        };
        const auto times = times_on(device_.numbers);
        Run run{.labelling = times.label + times.paint,
                .phases = {{"label", times.label, 1}, {"paint", times.paint, 1}},
                .components = times.components};
        try {
            const auto alone = times_on({device_.numbers.data(), 1});
            run.phases.push_back({"on one alone", alone.label + alone.paint, 1});
        } catch (const Error& error) {  // one device may be too small for the volume
            if (error.kind() != ErrorKind::device_memory) throw;
        }
        return run;
    }
    labels_.resize(input.voxels.size());
    const MeasuredRun done = measure_run(algorithm, device_, extent, input.connectivity, input.voxels.data(), labels_.data(), pool_,
                                         measure, settings_, input.values);
    Run run;
    run.components = done.components;
    run.bytes = done.bytes, run.property_bytes = done.property_bytes, run.allocated = done.allocated;
    for (const Phase& phase : done.phases) {
        if (phase.name == "algorithm") run.labelling = phase.milliseconds;
        else run.phases.push_back(phase);
        if (phase.name == "algorithm" || phase.name == "allocation" || phase.name == "upload" || phase.name == "download")
            run.all += phase.milliseconds;
    }
    return run;
}

double Machine::ceiling(const std::vector<std::uint8_t>& voxels) {
    const auto n = std::int64_t(voxels.size());
    if (device_.kind == Device::Kind::cuda) {
        double slowest = 0;  // time of the slowest device; each device has an equal part of the voxels
        for (const int number : device_.numbers)
            slowest = std::max(slowest, measure_cuda_stream(number, n / std::int64_t(device_.numbers.size())));
        return slowest;
    }
    labels_.resize(voxels.size());
    Stopwatch watch;
    in_pieces(
        n, [&](std::int64_t begin, std::int64_t end) { std::copy(voxels.begin() + begin, voxels.begin() + end, labels_.begin() + begin); });
    return 1000 * watch.lap();
}

Origin Machine::origin() const {
    Origin origin;
    origin.machine = host_name() + " (" + cpu_name() + ")";
    origin.date = now_in_utc();
    if (device_.kind == Device::Kind::cpu) {
        origin.device = "cpu, " + std::to_string(pool_.size()) + (pool_.size() == 1 ? " thread" : " threads");
        origin.driver = "n/a";
    } else {
        const CudaDevice cuda = describe_cuda(device_.numbers.front());
        origin.device = name_of(device_) + ", " + cuda.name;
        origin.driver = "driver " + cuda.driver + ", runtime " + cuda.runtime;
    }
    return origin;
}

}  // namespace voxcc::bench
