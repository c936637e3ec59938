#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"
// Labels random volumes with block-runs in all its forms and with published algorithms, and compares each result with the flood fill.
//
// Usage: random_volumes [--count N] [--seed S] [--threads N] [--device cpu|cuda[:N,...]|all]
//   --count N     number of volumes (default: 300); volume i has the seed S + i
//   --seed S      seed of the first volume (default: 1)
//   --threads N   processes that share the volumes (default: 1)
//   --device D    cpu (default), CUDA devices, or all: the CPU and all CUDA devices
// A failure is one line with the seed of its volume. "--count 1 --seed SEED" repeats it alone. After each tenth of the volumes, a line
// states the sums so far, and the last line states all sums. Exit status: 0 without failures, else 1.
#define DOCTEST_CONFIG_IMPLEMENT  // the shared helpers of the tests use doctest
#include "kernels/drawn_volume.h"
#include "kernels/instruction_sets.h"
#include "kernels/slabs.h"
#include "lab/interface/lab.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <iostream>

using namespace voxcc;

namespace {

Device tested_device;

struct Options {
    std::uint64_t count = 300, seed = 1, processes = 1;
    std::string device = "cpu";
};

/// The state of one process, in memory that all processes share.
struct Progress {
    std::atomic<std::uint64_t> seed{0}, volumes{0}, checks{0}, failures{0};
};

/// How a volume is labelled.
struct Settings {
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    double gradient = 0;  // Rule::gradient: the largest difference that connects
    AxisSet periodic;
};

Settings draw_settings(std::mt19937_64& rng) {
    Settings settings;
    settings.connectivity = published::all_connectivities[rng() % published::all_connectivities.size()];
    const auto rule = rng() % 8;
    if (rule < 3) settings.rule = rule < 2 ? Rule::equal_values : Rule::gradient;
    if (rule == 2) settings.gradient = double(rng() % 3);
    if (rng() % 8 == 0)
        for (bool& axis : settings.periodic.axes) axis = rng() % 2 == 0;
    return settings;
}

oracle::Labels expected(const drawn::Volume& volume, const Settings& settings) {
    const auto& v = volume.voxels;
    const bool by_value = settings.rule != Rule::foreground;
    return oracle::flood_fill_by(
        volume.shape, number_of(settings.connectivity), settings.periodic.axes, [&](long i) { return v[std::size_t(i)] != 0; },
        [&](long i, long j) { return !by_value || std::abs(v[std::size_t(i)] - v[std::size_t(j)]) <= settings.gradient; });
}

/// Labels one volume in several ways and reports each wrong result.
class Checks {
public:
    Checks(std::uint64_t seed, Progress& progress)
        : rng_(seed),
          seed_(seed),
          progress_(progress),
          volume_(drawn::volume(rng_)),
          settings_(draw_settings(rng_)),
          want_(expected(volume_, settings_)) {}

    void run() {
        if (tested_device.kind == Device::Kind::cpu) {
            check("block-runs", [&](auto& request, auto& source) { return block_runs::label(request, source, pool()); });
            const long slices = drawn::number(rng_, 1, volume_.shape.nz);
            check("block-runs, streamed in slabs of " + std::to_string(slices),
                  [&](auto& request, auto& source) { return block_runs::label_streamed(request, source, pool(), slices, "volume"); });
        }
        check("block-runs on tiles", [](auto& request, auto& source) { return tiles_tests::labelled(request, source); });
        const std::size_t cut = rng_() % slabs_tests::cuts().size();
        check("block-runs in GPU slabs, cut " + std::to_string(cut),
              [&](auto& request, auto& source) { return slabs_tests::labelled(request, source, slabs_tests::cuts()[cut]); });
        if (!settings_.periodic.any()) check_without_periodic_axes();
    }

private:
    void check_without_periodic_axes() {
        if (settings_.rule != Rule::foreground) return;
        ++progress_.checks;
        guarded("block-runs with sums",
                [&] { return tiles_tests::failed_with_sums(volume_.voxels, volume_.shape, settings_.connectivity, want_); });
        constexpr int algorithms_per_volume = 4;
        const auto all = published::algorithms();
        for (int i = 0; i < algorithms_per_volume; ++i) check_published(all[rng_() % all.size()]);
    }

    template <class Label>
    void check(const std::string& way, const Label& label) {
        ++progress_.checks;
        block_runs::Request request = tiles_tests::request_for(volume_.shape, settings_.connectivity);
        request.rule = settings_.rule;
        request.difference = settings_.gradient;
        request.periodic = settings_.periodic;
        const auto sets = instruction_sets();
        request.isa = sets[rng_() % sets.size()];
        const ForegroundPacker packer(ScalarType::u8, {});
        const auto access = rng_() % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
        MemorySource source(reinterpret_cast<const std::byte*>(volume_.voxels.data()), request.extent, packer, request.isa, access);
        guarded(way, [&] { return tiles_tests::failed_for_host(*label(request, source), volume_.shape, want_); });
    }

    void check_published(const Algorithm& algorithm) {
        const oracle::Shape& s = volume_.shape;
        if (!supports(algorithm, reduced(settings_.connectivity, {s.nx, s.ny, s.nz}))) return;
        if (algorithm.functions->walks_paths && volume_.paths == drawn::Paths::long_ones) return;
        ++progress_.checks;
        guarded(std::string(algorithm.name),
                [&] { return published::equal(algorithm, settings_.connectivity, volume_.voxels, s, want_) ? 0 : 1; });
    }

    /// @param failed returns 0, or the number of the check that failed
    template <class Failed>
    void guarded(const std::string& way, const Failed& failed) {
        std::string cause;
        try {
            if (const int number = failed()) cause = "check " + std::to_string(number) + " of its results failed";
        } catch (const std::exception& error) {
            cause = error.what();
        }
        if (cause.empty()) return;
        ++progress_.failures;
        const oracle::Shape& s = volume_.shape;
        std::printf("seed %lu: %s on %s: %s %ldx%ldx%ld, connectivity %d, %s%s: %s\n", seed_, way.c_str(), name_of(tested_device).c_str(),
                    volume_.kind.c_str(), s.nx, s.ny, s.nz, number_of(settings_.connectivity), std::string(name_of(settings_.rule)).c_str(),
                    settings_.periodic.any() ? ", periodic" : "", cause.c_str());
        std::fflush(stdout);
    }

    ThreadPool& pool() {
        static ThreadPool pools[3] = {ThreadPool(1), ThreadPool(2), ThreadPool(3)};
        return pools[rng_() % 3];
    }

    std::mt19937_64 rng_;
    std::uint64_t seed_;
    Progress& progress_;
    drawn::Volume volume_;
    Settings settings_;
    oracle::Labels want_;
};

/// The devices of --device, one after the other. @throw Error no_device
std::vector<Device> devices_of_option(const std::string& text) {
    std::vector<Device> devices;
    if (text == "cpu" || text == "all") devices.emplace_back();
    if (text != "cpu") devices.push_back(require_device(device_of(text).value(), "device " + text));
    return devices;
}

/// Prints the sums of all processes as one line. @return whether all volumes are checked and there are no failures
bool print_sums(const Options& options, const Progress* progress) {
    std::uint64_t volumes = 0, checks = 0, failures = 0;
    for (std::uint64_t p = 0; p < options.processes; ++p)
        volumes += progress[p].volumes, checks += progress[p].checks, failures += progress[p].failures;
    std::printf("%lu of %lu volumes, %lu checks, %lu failures\n", volumes, options.count, checks, failures);
    std::fflush(stdout);
    return volumes == options.count && failures == 0;
}

/// Checks every volume whose number has the remainder `process`. Process 0 prints the sums after each tenth of its share.
/// @param progress of all processes
void run_share(const Options& options, std::uint64_t process, Progress* progress) {
    const std::vector<Device> devices = devices_of_option(options.device);
    const std::uint64_t tenth = (options.count + 9) / 10;
    for (std::uint64_t i = process, next = tenth; i < options.count; i += options.processes) {
        if (process == 0 && i >= next) {
            print_sums(options, progress);
            next += tenth;
        }
        progress[process].seed = options.seed + i;
        for (const Device& device : devices) {
            tested_device = device;
            Checks(options.seed + i, progress[process]).run();
        }
        ++progress[process].volumes;
    }
}

/// Runs the shares in processes of their own, so that a crash is one failure. @return exit status
int run_processes(const Options& options, Progress* progress) {
    for (std::uint64_t p = 0; p < options.processes; ++p) {
        if (::fork() != 0) continue;
        try {
            run_share(options, p, progress);
        } catch (const std::exception& error) {
            std::printf("%s\n", error.what());
            std::fflush(stdout);
            ::_exit(2);
        }
        ::_exit(0);
    }
    int ended_early = 0, status = 0;
    while (::wait(&status) > 0) ended_early += status != 0;
    if (ended_early > 0) {
        std::printf("%d processes ended early\n", ended_early);
        for (std::uint64_t p = 0; p < options.processes; ++p)
            std::printf("process %lu: %lu volumes, last seed %lu\n", p, progress[p].volumes.load(), progress[p].seed.load());
    }
    return print_sums(options, progress) && ended_early == 0 ? 0 : 1;
}

/// @return nothing if the arguments are not valid
std::optional<Options> parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        std::uint64_t* const number = name == "--count"     ? &options.count
                                      : name == "--seed"    ? &options.seed
                                      : name == "--threads" ? &options.processes
                                                            : nullptr;
        if (name == "--device" && device_of(value)) {
            options.device = value;
            continue;
        }
        if (!number) return {};
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *number);
        if (error != std::errc() || *end != '\0' || (*number == 0 && number != &options.seed)) return {};
    }
    return options;
}

}  // namespace

Device test_device() { return {tested_device.kind, {tested_device.numbers.front()}}; }
const std::vector<int>& test_devices() { return tested_device.numbers; }
const std::vector<std::string>& test_algorithms() {
    static const std::vector<std::string> all;
    return all;
}

int main(int argc, char** argv) {
    add_published_algorithms();
    const auto options = parse(argc, argv);
    if (!options) {
        std::puts("usage: random_volumes [--count N] [--seed S] [--threads N] [--device cpu|cuda[:N,...]|all]");
        return 64;
    }
    const std::size_t bytes = options->processes * sizeof(Progress);
    void* const shared = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 71;
    auto* const progress = static_cast<Progress*>(shared);
    std::uninitialized_default_construct_n(progress, options->processes);
    return run_processes(*options, progress);
}
