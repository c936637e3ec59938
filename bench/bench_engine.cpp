// Times the stages of the block-runs engine in memory, for bench/peers.py. Labels are u32. Their memory has been written before, as in a
// program that labels many volumes.
//
//   bench_engine FILE --connectivity 26 --threads 1 --repeat 5 [--warmup 1] [--multilabel] [--above T] [--isa portable|avx2|avx512]
//
// Voxels above T are foreground; without --above, voxels that are not 0. Connectivities 4 and 8 label each slice of a volume separately.
// Prints JSON with the seconds of every repetition:
//   "label"    pack + unite + number + paint
//   "stages"   each of these stages, and "measure" (the sums of all components)
//   "cpu"      processor time of "label" and "measure": time in which other programs run does not count
//   "stream"   one pass that reads the voxels and writes one u32 per voxel with streaming stores: a lower bound for any labelling
#include <voxcc/clock.h>
#include <voxcc/measurements.h>
#include <voxcc/memory_source.h>
#include "bench/huge_pages.h"
#include "io/io.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

namespace {

using namespace voxcc;

struct Arguments {
    std::string file, isa = block_runs::name_of(block_runs::best_isa());
    int connectivity = 26, threads = 1, repeat = 5, warmup = 1;
    block_runs::Rule rule = block_runs::Rule::foreground;
    ForegroundRule foreground;
};

Arguments parse(int argc, char** argv) {
    Arguments a;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&] {
            if (++i == argc) throw Error(ErrorKind::invalid_argument, option, "needs a value");
            return std::string(argv[i]);
        };
        if (option == "--connectivity") a.connectivity = std::stoi(value());
        else if (option == "--threads") a.threads = std::stoi(value());
        else if (option == "--repeat") a.repeat = std::stoi(value());
        else if (option == "--warmup") a.warmup = std::stoi(value());
        else if (option == "--isa") a.isa = value();
        else if (option == "--above") a.foreground = {.kind = ForegroundRule::Kind::above, .low = std::stod(value())};
        else if (option == "--multilabel") a.rule = block_runs::Rule::equal_values;
        else a.file = option;
    }
    if (a.file.empty() || !connectivity_of(a.connectivity))
        throw Error(ErrorKind::invalid_argument, "bench_engine", "see the head of bench/bench_engine.cpp");
    return a;
}

/// Processor time of all threads of the process so far.
double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

void print(const char* name, const std::vector<double>& seconds, const char* after) {
    std::printf("\"%s\": [", name);
    for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.6f", i ? ", " : "", seconds[i]);
    std::printf("]%s", after);
}

int run(const Arguments& a) {
    const auto reader = io::open_volume(a.file);
    const io::VolumeInfo& info = reader->info();
    const Extent extent = info.extent;
    constexpr std::size_t offset_of_voxels = 64, offset_of_labels = 640;
    const bench::HugeArray<std::byte> voxels(std::size_t(extent.voxels() * size_of(info.type)), offset_of_voxels);
    reader->read_rows({0, extent.rows()}, voxels.data());
    const bench::HugeArray<std::uint32_t> labels(std::size_t(extent.voxels()), offset_of_labels);
    std::fill_n(labels.data(), extent.voxels(), 1u);

    block_runs::Request request;
    request.extent = extent;
    request.connectivity = *connectivity_of(a.connectivity);
    request.rule = a.rule;
    for (const block_runs::Isa isa : block_runs::all_isas)
        if (a.isa == block_runs::name_of(isa) && block_runs::supports(isa)) request.isa = isa;
    const ForegroundPacker packer(info.type, a.foreground);
    ThreadPool pool(a.threads);
    std::map<std::string, std::vector<double>> seconds;
    std::uint64_t components = 0;
    for (int i = -a.warmup; i < a.repeat; ++i) {
        block_runs::MemorySource source(voxels.data(), extent, packer, request.isa);
        const double begin = clock_seconds(), cpu_begin = cpu_seconds();
        const auto labelling = block_runs::label(request, source, pool);
        labelling->prepare_paint(ScalarType::u32, {});
        const double numbered = clock_seconds();
        const std::int64_t rows_per_task = std::max<std::int64_t>(1, extent.rows() / (64 * a.threads)),
                           tasks = (extent.rows() + rows_per_task - 1) / rows_per_task;
        pool.for_each(tasks, [&](std::int64_t task) {
            const RowRange rows{task * rows_per_task, std::min(rows_per_task, extent.rows() - task * rows_per_task)};
            labelling->paint(rows, reinterpret_cast<std::byte*>(labels.data() + rows.first * extent.nx), block_runs::Stores::streaming);
        });
        const double painted = clock_seconds(), cpu_painted = cpu_seconds();
        const SumTable sums = labelling->measure();
        const double measured = clock_seconds(), cpu_measured = cpu_seconds();
        pool.for_each(a.threads, [&](std::int64_t t) {
            const std::int64_t n = extent.voxels();
            const std::int64_t first = n * t / a.threads, end = n * (t + 1) / a.threads;
            stream_voxels(info.type, voxels.data() + first * size_of(info.type), end - first, labels.data() + first);
        });
        const double streamed = clock_seconds();
        components = labelling->count();
        if (i < 0) continue;
        const block_runs::Seconds& s = labelling->seconds();
        for (const auto& [name, value] : {std::pair("label", painted - begin),
                                          {"pack", s.pack},
                                          {"unite", s.unite},
                                          {"number", s.number},
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
                block_runs::name_of(request.isa), a.threads);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_engine: error: %s\n", error.what());
        return 64;
    }
}
