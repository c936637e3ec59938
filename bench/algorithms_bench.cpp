// Times the published algorithms phase by phase, on volumes in memory; built without ITK and HDF5, so that it runs on a bare GPU machine.
//
//   algorithms_bench --device cpu|cuda [--algorithms all|buf,bke] [--volumes random-50-g1,blobs-50] [--size 512] [--connectivity 26]
//                    [--repeat 20] [--properties none|early|late]
//
// Prints CSV: device, algorithm, connectivity, volume, edge, components, phase, median milliseconds, bytes beside voxels and labels; with
// --properties also when they were computed and how many of those bytes are theirs. Their phase is "properties"; rows that do not compute
// early are left out.
// "whole" is the run from its first phase to its last, on a device by events, without copies from and to the host; "without numbering" is
// that less the phase "number".
#include "kernels3d/algorithms/label.h"
#include "kernels3d/generate.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>

namespace {

using namespace voxcc;

struct Arguments {
    std::string device = "cpu", algorithms = "all", volumes = "random-10-g1,random-50-g1,random-90-g1,blobs-50,blobs-10";
    std::int64_t size = 512;
    int connectivity = 26, repeat = 20;
    std::string properties = "none";
    algorithms::Measure measure = algorithms::Measure::none;  // of that name
};

algorithms::Measure measure_named(const std::string& name) {
    using algorithms::Measure;
    for (const auto& [text, measure] : {std::pair("none", Measure::none), {"early", Measure::early}, {"late", Measure::late}})
        if (name == text) return measure;
    throw Error(ExitCode::usage, "--properties " + name, "are not known", "none, early or late");
}

Arguments parse(int argc, char** argv) {
    Arguments a;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i], value = argv[i + 1];
        if (option == "--device") a.device = value;
        else if (option == "--algorithms") a.algorithms = value;
        else if (option == "--volumes") a.volumes = value;
        else if (option == "--size") a.size = std::stoll(value);
        else if (option == "--connectivity") a.connectivity = std::stoi(value);
        else if (option == "--repeat") a.repeat = std::stoi(value);
        else if (option == "--properties") a.properties = value, a.measure = measure_named(value);
        else throw Error(ExitCode::usage, option, "is no option", "see the head of bench/algorithms_bench.cpp");
    }
    return a;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

/// random-DENSITY-gGRANULARITY, blobs-DENSITY, hilbert-ORDER, solid
std::vector<std::uint8_t> made(const std::string& name, const Extent& extent) {
    TestVolumeRecipe recipe;
    recipe.extent = extent;
    int number = 0, grain = 1;
    if (std::sscanf(name.c_str(), "random-%d-g%d", &number, &grain) == 2) recipe.kind = TestVolumeKind::random, recipe.granularity = grain;
    else if (std::sscanf(name.c_str(), "blobs-%d", &number) == 1) recipe.kind = TestVolumeKind::blobs;
    else if (std::sscanf(name.c_str(), "hilbert-%d", &number) == 1) recipe.kind = TestVolumeKind::hilbert, recipe.order = number;
    else if (name != "solid") throw Error(ExitCode::usage, name, "is no volume", "as in random-50-g1, blobs-50, hilbert-6, solid");
    recipe.density = number / 100.0;
    std::vector<std::uint8_t> v(std::size_t(extent.voxels()));
    const auto volume = make_test_volume(recipe);
    for (std::int64_t r = 0; r < extent.rows(); ++r)
        volume->fill_row(r % extent.ny, r / extent.ny, std::span(v).subspan(std::size_t(r * extent.nx), std::size_t(extent.nx)));
    return v;
}

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

void run(const Arguments& a) {
    const Device device{a.device == "cuda" ? Device::Kind::cuda : Device::Kind::cpu, 0};
    ThreadPool pool(available_threads());
    const bool with_properties = a.measure != algorithms::Measure::none;
    std::printf("device,algorithm,connectivity,volume,edge,components,phase,median_ms,bytes%s\n",
                with_properties ? ",properties,property_bytes" : "");
    for (const std::string& name : split(a.volumes)) {
        const Extent extent{a.size, a.size, a.size};
        const std::vector<std::uint8_t> voxels = made(name, extent);
        std::vector<std::uint32_t> labels(device.kind == Device::Kind::cpu ? voxels.size() : 0);
        for (const AlgorithmRow& row : algorithm_rows()) {
            const auto wanted = split(a.algorithms);
            if (!row.is_published() || (a.algorithms != "all" && std::find(wanted.begin(), wanted.end(), row.name) == wanted.end()))
                continue;
            const Connectivity connectivity = *connectivity_of(a.connectivity);
            if (!supports(row, connectivity) || (a.measure == algorithms::Measure::early && !row.computes_early)) continue;
            std::map<std::string, std::vector<double>> times;
            std::vector<std::string> order;
            PublishedRun done;
            for (int i = -1; i < a.repeat; ++i) {
                done = run_published(row, device, extent, connectivity, voxels.data(), labels.empty() ? nullptr : labels.data(), pool,
                                     a.measure);
                if (i < 0) continue;
                double whole = 0, sum = 0, number = 0;
                for (const exec::Phase& phase : done.phases) {
                    if (phase.name == "upload" || phase.name == "download") continue;
                    if (phase.name == "whole") {
                        whole = phase.milliseconds;
                        continue;
                    }
                    if (times[phase.name].empty()) order.push_back(phase.name);
                    times[phase.name].push_back(phase.milliseconds);
                    sum += phase.milliseconds;
                    if (phase.name == "number") number += phase.milliseconds;
                }
                if (device.kind == Device::Kind::cpu) whole = sum;
                times["whole"].push_back(whole);
                times["without numbering"].push_back(whole - number);
            }
            order.insert(order.end(), {"whole", "without numbering"});
            const std::string last_columns = with_properties ? "," + a.properties + "," + std::to_string(done.property_bytes) : "";
            for (const std::string& phase : order)
                std::printf("%s,%s,%d,%s,%lld,%u,%s,%.4f,%zu%s\n", a.device.c_str(), std::string(row.name).c_str(), a.connectivity,
                            name.c_str(), static_cast<long long>(a.size), done.components, phase.c_str(), median(times[phase]), done.bytes,
                            last_columns.c_str());
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(parse(argc, argv));
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "algorithms_bench: error: %s\n", error.what());
        return int(error.code());
    }
}
