// Times measurements of volumes in memory on one thread, for bench/peers.py. Prints JSON with seconds of processor time: time in which
// other programs run does not count. Every part runs once more before it is timed.
//
//   bench_measures shape FILE --connectivity 26        "label": pack to paint, and the sums; "shape": without Feret diameters
//   bench_measures contacts FILE --connectivity 26     "contacts" of a volume of labels
//   bench_measures delta FILE --connectivity 26 --delta T     "delta": pack to paint
//   bench_measures percentiles --size 512              "percentiles": 5, 50 and 95 % of an int16 image with 1,000 components; "pass": one
//                                                      pass that reads the image and the labels; "sums": all other intensity columns
//
// Every part accepts --isa portable|avx2|avx512.
#include <voxcc/contacts.h>
#include <voxcc/memory_source.h>
#include <voxcc/percentiles.h>
#include <voxcc/shape.h>
#include "bench/huge_pages.h"
#include "io/io.h"

#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>

namespace {

using namespace voxcc;

struct Arguments {
    std::string part, file;
    Connectivity connectivity = Connectivity::c26;
    std::int64_t size = 512;
    double delta = 1;
};

void set_isa(const std::string& name) {
    for (const block_runs::Isa isa : block_runs::all_isas)
        if (name == block_runs::name_of(isa)) block_runs::set_default_isa(isa);
}

Arguments parse(int argc, char** argv) {
    Arguments a;
    const auto wrong = [] { return Error(ErrorKind::invalid_argument, "bench_measures", "see the head of bench/bench_measures.cpp"); };
    if (argc < 2) throw wrong();
    a.part = argv[1];
    for (int i = 2; i < argc; ++i) {
        const std::string option = argv[i];
        if (option[0] != '-') {
            a.file = option;
            continue;
        }
        if (++i == argc) throw wrong();
        if (option == "--connectivity") a.connectivity = connectivity_of(std::stoi(argv[i])).value();
        else if (option == "--size") a.size = std::stoll(argv[i]);
        else if (option == "--delta") a.delta = std::stod(argv[i]);
        else if (option == "--isa") set_isa(argv[i]);
        else throw wrong();
    }
    return a;
}

/// Processor time of work(), which runs twice: the first time is dropped.
double seconds_of(const std::function<void()>& work) {
    work();
    const std::clock_t begin = std::clock();
    work();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

void print(const char* name, double seconds) { std::printf("\"%s\": %.6f, ", name, seconds); }

/// A volume of a file in memory, and memory for its labels, which was written before.
struct Volume {
    explicit Volume(const std::string& file) : Volume(*io::open_volume(file)) {}
    explicit Volume(io::VolumeReader& reader)
        : extent(reader.info().extent),
          type(reader.info().type),
          voxels(std::size_t(extent.voxels() * size_of(type)), 64),
          labels(std::size_t(extent.voxels()), 640) {
        reader.read_rows({0, extent.rows()}, voxels.data());
        std::fill_n(labels.data(), extent.voxels(), 1u);
    }
    void paint(block_runs::Labelling& labelling) const {
        labelling.prepare_paint(ScalarType::u32, {});
        labelling.paint({0, extent.rows()}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::streaming);
    }
    Extent extent;
    ScalarType type;
    bench::HugeArray<std::byte> voxels;
    bench::HugeArray<std::uint32_t> labels;
};

void time_shape(const Arguments& a, ThreadPool& pool) {
    const Volume volume(a.file);
    const ForegroundPacker packer(volume.type, {});
    block_runs::MemorySource source(volume.voxels.data(), volume.extent, packer, block_runs::default_isa());
    block_runs::Request request;
    request.extent = volume.extent, request.connectivity = a.connectivity;
    std::unique_ptr<block_runs::Labelling> labelling;
    SumTable sums;
    print("label", seconds_of([&] {
              labelling = nullptr;
              labelling = block_runs::label(request, source, pool);
              volume.paint(*labelling);
              sums = labelling->measure();
          }));
    ShapeRequest shape;
    shape.extent = volume.extent, shape.connectivity = a.connectivity, shape.feret = ShapeRequest::Feret::skip;
    print("shape", seconds_of([&] { measure_shape(*labelling, shape, sums, pool); }));
    std::printf("\"components\": %llu, ", static_cast<unsigned long long>(labelling->count()));
}

void time_contacts(const Arguments& a, ThreadPool& pool) {
    const Volume volume(a.file);
    const ForegroundPacker packer(volume.type, {});
    block_runs::MemorySource source(volume.voxels.data(), volume.extent, packer, block_runs::default_isa());
    std::size_t pairs = 0;
    print("contacts", seconds_of([&] { pairs = label_contacts(source, volume.extent, a.connectivity, pool).size(); }));
    std::printf("\"pairs\": %zu, ", pairs);
}

void time_delta(const Arguments& a, ThreadPool& pool) {
    const Volume volume(a.file);
    const ForegroundPacker packer(volume.type, {});
    block_runs::MemorySource source(volume.voxels.data(), volume.extent, packer, block_runs::default_isa());
    block_runs::Request request;
    request.extent = volume.extent, request.connectivity = a.connectivity;
    request.rule = Rule::gradient, request.gradient = a.delta;
    std::uint64_t components = 0;
    print("delta", seconds_of([&] {
              const auto labelling = block_runs::label(request, source, pool);
              volume.paint(*labelling);
              components = labelling->count();
          }));
    std::printf("\"components\": %llu, ", static_cast<unsigned long long>(components));
}

/// An image of noise with a standard deviation of 200, as a CT image, and 10^3 components, which are boxes without gaps.
void time_percentiles(std::int64_t size) {
    const Extent extent{size, size, size};
    const bench::HugeArray<std::int16_t> image(std::size_t(extent.voxels()), 64);
    const bench::HugeArray<std::uint32_t> labels(std::size_t(extent.voxels()), 640);
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < extent.voxels(); ++i) {
        state = state * 6364136223846793005 + 1442695040888963407;
        int sum = 0;  // of four numbers from 0 to 255: nearly a normal distribution
        for (int byte = 0; byte < 4; ++byte) sum += int(state >> (32 + 8 * byte) & 255);
        image.data()[i] = std::int16_t((sum - 510) * 200 / 148);
        const auto box = [&](std::int64_t at) { return std::uint32_t(at * 10 / size); };
        labels.data()[i] = 1 + box(i % size) + 10 * box(i / size % size) + 100 * box(i / size / size);
    }
    const auto row = [&](std::int64_t r) { return std::span<const std::uint32_t>(labels.data() + r * size, std::size_t(size)); };
    const auto values = [&](std::int64_t r) {
        return std::as_bytes(std::span<const std::int16_t>(image.data() + r * size, std::size_t(size)));
    };
    IntensitySums sums(ScalarType::i16);
    print("sums", seconds_of([&] {
              sums = IntensitySums(ScalarType::i16);
              for (std::int64_t r = 0; r < extent.rows(); ++r) sums.add_row(r % size, r / size, row(r), values(r));
          }));
    std::vector<StoredRange> ranges;
    for (std::uint64_t component = 1; component <= 1000; ++component) ranges.push_back(sums.stored_range(component));
    double median = 0;
    print("percentiles", seconds_of([&] {
              Percentiles percentiles(ScalarType::i16, {5, 50, 95}, ranges, {}, std::int64_t{64} << 20);
              while (percentiles.begin_pass()) {
                  for (std::int64_t r = 0; r < extent.rows(); ++r) percentiles.add_row(row(r), values(r));
                  percentiles.end_pass();
              }
              median = percentiles.value(500, 1);
          }));
    std::uint64_t read = 0;
    print("pass", seconds_of([&] {
              for (std::int64_t r = 0; r < extent.rows(); ++r) {
                  const std::int16_t* const value = image.data() + r * size;
                  for (const std::uint32_t label : row(r)) read += label;
                  for (std::int64_t x = 0; x < size; ++x) read += std::uint64_t(value[x]);
              }
          }));
    std::printf("\"median\": %g, \"read\": %llu, ", median, static_cast<unsigned long long>(read));
}

int run(const Arguments& a) {
    ThreadPool pool(1);
    std::printf("{");
    if (a.part == "shape") time_shape(a, pool);
    else if (a.part == "contacts") time_contacts(a, pool);
    else if (a.part == "delta") time_delta(a, pool);
    else if (a.part == "percentiles") time_percentiles(a.size);
    else throw Error(ErrorKind::invalid_argument, a.part, "is not a part of bench_measures");
    std::printf("\"isa\": \"%s\"}\n", block_runs::name_of(block_runs::default_isa()));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_measures: error: %s\n", error.what());
        return 64;
    }
}
