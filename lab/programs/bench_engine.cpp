// Times the stages of the block-runs engine in memory, for lab/peers.py. Labels are u32. Their memory has been written before, as in a
// program that labels many volumes.
//
//   bench_engine FILE --connectivity 26 --threads 1 --repeat 5
//
// Prints JSON with the seconds of every repetition:
//   "label"    pack + unite + number + paint
//   "stages"   each of these stages, and "measure" (the sums of all components)
//   "cpu"      processor time of "label" and "measure": time in which other programs run does not count
//   "stream"   one pass that reads the voxels and writes one u32 per voxel with streaming stores: a lower bound for any labelling
#include <voxcc/label.h>
#include <voxcc/threads.h>
#include "io/io.h"
#include "kernels3d/api/measurements.h"
#include "lab/interface/option_values.h"
#include "lab/programs/huge_pages.h"
#include "lab/programs/program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

namespace {

using namespace voxcc;

struct Settings {
    Isa isa = best_isa();
    Connectivity connectivity = Connectivity::c26;
    int threads = 1, repeat = 5, warmup = 1;
    Rule rule = Rule::foreground;
    ForegroundRule foreground;
};

std::vector<bench::ProgramOption> options_of(Settings& s) {
    const auto integer = [](const std::string& option, int& to, int lowest, int highest) {
        return [=, &to](const std::string& text) { to = int(bench::integer_of(option, text, lowest, highest)); };
    };
    return {
        {"--connectivity", "N", "6, 18 or 26; 4 and 8 label each slice of a volume separately (default: 26)",
         [&s](const std::string& text) { s.connectivity = bench::connectivity_of("--connectivity", text); }},
        {"--threads", "N", "CPU threads (default: 1)", integer("--threads", s.threads, 1, 4096)},
        {"--repeat", "N", "timed runs (default: 5)", integer("--repeat", s.repeat, 1, 1'000'000)},
        {"--warmup", "N", "runs before them (default: 1)", integer("--warmup", s.warmup, 0, 1'000'000)},
        {"--multilabel", "", "connect only voxels with equal values", [&s](const std::string&) { s.rule = Rule::equal_values; }},
        {"--above", "T", "foreground is above T (default: every voxel that is not 0)",
         [&s](const std::string& text) { s.foreground = {.kind = ForegroundRule::Kind::above, .low = bench::real_of("--above", text)}; }},
        {"--isa", "NAME", "portable, avx2 or avx512, if the processor supports it (default: the best)",
         [&s](const std::string& text) { s.isa = bench::isa_of("--isa", text); }}};
}

/// Processor time of all threads of the process so far.
double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

void print(const char* name, const std::vector<double>& seconds, const char* after) {
    std::printf("\"%s\": [", name);
    for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.6f", i ? ", " : "", seconds[i]);
    std::printf("]%s", after);
}

void run(const Settings& s, const std::string& file) {
    const auto reader = io::open_volume(file);
    const io::VolumeInfo& info = reader->info();
    const Extent extent = info.extent;
    constexpr std::size_t offset_of_voxels = 64, offset_of_labels = 640;
    const bench::HugeArray<std::byte> voxels(std::size_t(extent.voxels() * size_of(info.type)), offset_of_voxels);
    reader->read_rows({0, extent.rows()}, voxels.data());
    const bench::HugeArray<std::uint32_t> labels(std::size_t(extent.voxels()), offset_of_labels);
    std::fill_n(labels.data(), extent.voxels(), 1u);

    const VolumeView view{voxels.data(), info.type, extent, dense(extent, size_of(info.type))};
    const Question question{.connectivity = s.connectivity, .rule = s.rule, .foreground = s.foreground};
    ThreadPool pool(s.threads);
    Execution execution{.pool = &pool};
    if (supports(s.isa)) execution.isa = s.isa;
    std::map<std::string, std::vector<double>> seconds;
    std::uint64_t components = 0;
    for (int i = -s.warmup; i < s.repeat; ++i) {
        const double begin = clock_seconds(), cpu_begin = cpu_seconds();
        const auto labelling = label(view, question, execution);
        labelling->prepare_paint(ScalarType::u32, {});
        const double numbered = clock_seconds();
        const std::int64_t rows_per_task = std::max<std::int64_t>(1, extent.rows() / (64 * s.threads)),
                           tasks = (extent.rows() + rows_per_task - 1) / rows_per_task;
        pool.for_each(tasks, [&](std::int64_t task) {
            const RowRange rows{task * rows_per_task, std::min(rows_per_task, extent.rows() - task * rows_per_task)};
            labelling->paint(rows, reinterpret_cast<std::byte*>(labels.data() + rows.first * extent.nx), Stores::streaming);
        });
        const double painted = clock_seconds(), cpu_painted = cpu_seconds();
        const SumTable sums = labelling->measure();
        const double measured = clock_seconds(), cpu_measured = cpu_seconds();
        pool.for_each(s.threads, [&](std::int64_t t) {
            const std::int64_t n = extent.voxels();
            const std::int64_t first = n * t / s.threads, end = n * (t + 1) / s.threads;
            stream_voxels(info.type, voxels.data() + first * size_of(info.type), end - first, labels.data() + first);
        });
        const double streamed = clock_seconds();
        components = labelling->count();
        if (i < 0) continue;
        const Seconds& stages = labelling->seconds();
        for (const auto& [name, value] : {std::pair("label", painted - begin),
                                          {"pack", stages.pack},
                                          {"unite", stages.unite},
                                          {"number", stages.number},
                                          {"paint", painted - numbered},
                                          {"measure", measured - painted},
                                          {"stream", streamed - measured},
                                          {"cpu label", cpu_painted - cpu_begin},
                                          {"cpu measure", cpu_measured - cpu_painted}})
            seconds[name].push_back(value);
    }
    std::printf("{");
    print("label", seconds["label"], ", \"stages\": {");
    for (const char* stage : {"pack", "unite", "number", "paint"}) print(stage, seconds[stage], ", ");
    print("measure", seconds["measure"], "}, \"cpu\": {");
    print("label", seconds["cpu label"], ", ");
    print("measure", seconds["cpu measure"], "}, ");
    print("stream", seconds["stream"], ", ");
    std::printf("\"components\": %llu, \"isa\": \"%s\", \"threads\": %d}\n", static_cast<unsigned long long>(components),
                name_of(execution.isa), s.threads);
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    return bench::run_program({.name = "bench_engine",
                               .purpose = "Times the stages of the block-runs engine in memory. Prints JSON.",
                               .arguments = {"FILE"},
                               .options = options_of(settings),
                               .run = [&](const std::vector<std::string>& arguments) { run(settings, arguments.front()); }},
                              argc, argv);
}
