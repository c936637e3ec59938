// Times the tables of components on a CUDA device: sums, shape counts and contacts, beside the labelling. Voxels and labels stay on the
// device; times are device times.
//
//   bench_tables [--device 0] [--size 512] [--repeat 10]
//
// Volumes: blobs of 50 %, and a Voronoi volume without background, in which each voxel has the number of the nearest of 1,900 random
// points (in proportion for other sizes). Prints a table in Markdown with medians in ms.
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include "kernels3d/api/measurements.h"
#include "lab/interface/option_values.h"
#include "lab/programs/program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <string>

namespace {

using namespace voxcc;
using Point = std::array<double, 3>;

struct Settings {
    int device = 0, repeat = 10;
    std::int64_t size = 512;
};

std::vector<bench::ProgramOption> options_of(Settings& s) {
    return {{"--device", "N", "number of the CUDA device (default: 0)",
             [&s](const std::string& text) { s.device = int(bench::integer_of("--device", text, 0, 1023)); }},
            {"--size", "N", "edge of the volumes in voxels (default: 512)",
             [&s](const std::string& text) { s.size = bench::integer_of("--size", text, 1, 1 << 20); }},
            {"--repeat", "N", "timed runs, after one warm-up run (default: 10)",
             [&s](const std::string& text) { s.repeat = int(bench::integer_of("--repeat", text, 1, 1'000'000)); }}};
}

std::vector<std::uint8_t> blobs(const Extent& e) {
    std::vector<std::uint8_t> voxels(std::size_t(e.voxels()));
    TestVolumeRecipe recipe;
    recipe.kind = TestVolumeKind::blobs, recipe.extent = e, recipe.density = 0.5;
    const auto volume = make_test_volume(recipe);
    for (std::int64_t row = 0; row < e.rows(); ++row)
        volume->fill_row(row % e.ny, row / e.ny, std::span(voxels).subspan(std::size_t(row * e.nx), std::size_t(e.nx)));
    return voxels;
}

double squared_distance(const Point& a, const Point& b) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/// Numbers a cube of voxels. Only points that can be nearest to one of its voxels are compared with each voxel.
void number_cube(const Extent& e, const std::vector<Point>& points, const std::array<std::int64_t, 3>& corner, std::int64_t edge,
                 std::vector<std::uint32_t>& voxels) {
    const double half = double(edge - 1) / 2, to_corner = std::sqrt(3.0) * half;
    const Point centre{double(corner[0]) + half, double(corner[1]) + half, double(corner[2]) + half};
    std::vector<double> distances;
    for (const Point& point : points) distances.push_back(std::sqrt(squared_distance(point, centre)));
    const double least = *std::min_element(distances.begin(), distances.end());
    std::vector<std::uint32_t> near;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (distances[i] <= least + 2 * to_corner) near.push_back(std::uint32_t(i));
    for (std::int64_t z = corner[2]; z < std::min(corner[2] + edge, e.nz); ++z)
        for (std::int64_t y = corner[1]; y < std::min(corner[1] + edge, e.ny); ++y)
            for (std::int64_t x = corner[0]; x < std::min(corner[0] + edge, e.nx); ++x) {
                double best = std::numeric_limits<double>::infinity();
                std::uint32_t number = 0;
                for (const std::uint32_t i : near)
                    if (const double d = squared_distance(points[i], {double(x), double(y), double(z)}); d < best) best = d, number = i + 1;
                voxels[std::size_t((z * e.ny + y) * e.nx + x)] = number;
            }
}

std::vector<std::uint32_t> voronoi(const Extent& e, ThreadPool& pool) {
    std::mt19937_64 random(1);
    std::vector<Point> points(std::size_t(std::max(2.0, 1900 * double(e.voxels()) / std::pow(512.0, 3))));
    for (Point& point : points)
        for (double& coordinate : point) coordinate = double(random() >> 11) * 0x1p-53 * double(e.nx);
    std::vector<std::uint32_t> voxels(std::size_t(e.voxels()));
    constexpr std::int64_t edge = 16;
    const std::int64_t cubes = (e.nx + edge - 1) / edge;
    pool.for_each(cubes * cubes * cubes, [&](std::int64_t i) {
        number_cube(e, points, {i % cubes * edge, i / cubes % cubes * edge, i / cubes / cubes * edge}, edge, voxels);
    });
    return voxels;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The median of the sum of the phases with is_counted(name).
template <class IsCounted>
double milliseconds(const TableTimes& times, const IsCounted& is_counted) {
    std::vector<double> sums;
    for (const auto& phases : times.runs) {
        sums.push_back(0);
        for (const Phase& phase : phases)
            if (is_counted(phase.name)) sums.back() += phase.milliseconds;
    }
    return median(sums);
}

void print_row(const char* volume, Connectivity connectivity, const TableTimes& times) {
    const auto of = [&](const char* name) { return milliseconds(times, [&](const std::string& phase) { return phase == name; }); };
    const auto labels = [](const std::string& phase) {
        return phase != "measure" && phase != "shape" && phase != "contacts" && phase != "upload" && phase != "download" &&
               phase != "fetch";
    };
    std::printf("| %s | %d | %llu | %.4f | %.4f | %.4f | %.4f | %llu |\n", volume, number_of(connectivity),
                static_cast<unsigned long long>(times.components), milliseconds(times, labels), of("measure"), of("shape"), of("contacts"),
                static_cast<unsigned long long>(times.pairs));
    std::fflush(stdout);
}

void run(const Settings& s) {
    const Extent extent{s.size, s.size, s.size};
    const CudaDevice device = describe_cuda(s.device);
    ThreadPool pool(available_threads());
    std::printf("%s, driver %s, runtime %s; %lld^3 voxels; device times in ms, median of %d runs\n\n", device.name.c_str(),
                device.driver.c_str(), device.runtime.c_str(), static_cast<long long>(s.size), s.repeat);
    std::puts("| volume | neighbours | components | labelling and painting | sums | shape | contacts | pairs |");
    std::puts("|---|---|---|---|---|---|---|---|");
    const auto measured = [&](const void* voxels, ScalarType type, Connectivity connectivity, Rule rule) {
        TableTimes times = measure_cuda_tables(s.device, voxels, type, extent, connectivity, rule, s.repeat + 1);
        times.runs.erase(times.runs.begin());  // the warm-up
        return times;
    };
    constexpr std::array connectivities{Connectivity::c26, Connectivity::c18, Connectivity::c6};
    const std::vector<std::uint8_t> bits = blobs(extent);
    for (const Connectivity c : connectivities) print_row("blobs, 50 %", c, measured(bits.data(), ScalarType::u8, c, Rule::foreground));
    const std::vector<std::uint32_t> values = voronoi(extent, pool);
    for (const Connectivity c : connectivities)
        print_row("Voronoi, u32", c, measured(values.data(), ScalarType::u32, c, Rule::equal_values));
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    return bench::run_program({.name = "bench_tables",
                               .purpose = "Times the tables of components on a CUDA device. Prints a table in Markdown.",
                               .arguments = {},
                               .options = options_of(settings),
                               .run = [&](const std::vector<std::string>&) { run(settings); }},
                              argc, argv);
}
