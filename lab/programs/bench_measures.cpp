// Times measurements of volumes in memory on one thread, for lab/peers.py. Prints JSON with seconds of processor time: time in which
// other programs run does not count. Every part runs once more before it is timed.
//
//   bench_measures shape FILE --connectivity 26        "label": pack to paint, and the sums; "shape": without Feret diameters
//   bench_measures contacts FILE --connectivity 26     "contacts" of a volume of labels
//   bench_measures delta FILE --connectivity 26 --delta T     "delta": pack to paint
//   bench_measures percentiles --size 512              "percentiles": 5, 50 and 95 % of an int16 image with 1,000 components; "pass": one
//                                                      pass that reads the image and the labels; "sums": all other intensity columns
#include <voxcc/contacts.h>
#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/shape.h>
#include "io/io.h"
#include "lab/interface/option_values.h"
#include "lab/programs/huge_pages.h"
#include "lab/programs/program.h"

#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>
#include <string>

namespace {

using namespace voxcc;

struct Settings {
    Connectivity connectivity = Connectivity::c26;
    std::int64_t size = 512;
    double delta = 1;
};

std::vector<bench::ProgramOption> options_of(Settings& s) {
    return {{"--connectivity", "N", "4, 8, 6, 18 or 26 (default: 26)",
             [&s](const std::string& text) { s.connectivity = bench::connectivity_of("--connectivity", text); }},
            {"--size", "N", "of percentiles: edge of the volume in voxels (default: 512)",
             [&s](const std::string& text) { s.size = bench::integer_of("--size", text, 1, 1 << 20); }},
            {"--delta", "T", "of delta: the largest difference that connects (default: 1)",
             [&s](const std::string& text) { s.delta = bench::real_of("--delta", text); }},
            {"--isa", "NAME", "portable, avx2 or avx512 (default: the best)",
             [](const std::string& text) { set_default_isa(bench::isa_of("--isa", text)); }}};
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
    VolumeView view() const { return {voxels.data(), type, extent, dense(extent, size_of(type))}; }
    void paint(Labelling& labelling) const {
        labelling.prepare_paint(ScalarType::u32, {});
        labelling.paint({0, extent.rows()}, reinterpret_cast<std::byte*>(labels.data()), Stores::streaming);
    }
    Extent extent;
    ScalarType type;
    bench::HugeArray<std::byte> voxels;
    bench::HugeArray<std::uint32_t> labels;
};

void time_shape(const Settings& s, const std::string& file, ThreadPool& pool) {
    const Volume volume(file);
    const Question question{.connectivity = s.connectivity};
    const Execution execution{.pool = &pool};
    std::unique_ptr<Labelling> labelling;
    SumTable sums;
    print("label", seconds_of([&] {
              labelling = nullptr;
              labelling = label(volume.view(), question, execution);
              volume.paint(*labelling);
              sums = labelling->measure();
          }));
    ShapeRequest shape{question, volume.extent};
    shape.feret = ShapeRequest::Feret::skip;
    print("shape", seconds_of([&] { measure_shape(*labelling, shape, sums, pool); }));
    std::printf("\"components\": %llu, ", static_cast<unsigned long long>(labelling->count()));
}

void time_contacts(const Settings& s, const std::string& file, ThreadPool& pool) {
    const Volume volume(file);
    const ForegroundPacker packer(volume.type, {});
    StridedSource source(volume.view(), packer);
    std::size_t pairs = 0;
    print("contacts", seconds_of([&] { pairs = label_contacts(source, volume.extent, s.connectivity, pool).size(); }));
    std::printf("\"pairs\": %zu, ", pairs);
}

void time_delta(const Settings& s, const std::string& file, ThreadPool& pool) {
    const Volume volume(file);
    const Question question{.connectivity = s.connectivity, .rule = Rule::gradient, .difference = s.delta};
    const Execution execution{.pool = &pool};
    std::uint64_t components = 0;
    print("delta", seconds_of([&] {
              const auto labelling = label(volume.view(), question, execution);
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

/// @param arguments the part, and its file if it reads one
void run(const Settings& s, const std::vector<std::string>& arguments) {
    const std::string& part = arguments.front();
    const bool reads_file = part == "shape" || part == "contacts" || part == "delta";
    if (!reads_file && part != "percentiles")
        throw Error(ErrorKind::invalid_argument, part, "is not one of shape, contacts, delta and percentiles");
    if (reads_file != (arguments.size() == 2))
        throw Error(ErrorKind::invalid_argument, part, reads_file ? "needs a file" : "reads no file");
    ThreadPool pool(1);
    std::printf("{");
    if (part == "shape") time_shape(s, arguments[1], pool);
    else if (part == "contacts") time_contacts(s, arguments[1], pool);
    else if (part == "delta") time_delta(s, arguments[1], pool);
    else time_percentiles(s.size);
    std::printf("\"isa\": \"%s\"}\n", name_of(default_isa()));
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    return bench::run_program(
        {.name = "bench_measures",
         .purpose = "Times measurements of volumes in memory. Prints JSON. PART is shape, contacts, delta or percentiles.",
         .arguments = {"PART", "[FILE]"},
         .options = options_of(settings),
         .run = [&](const std::vector<std::string>& arguments) { run(settings, arguments); }},
        argc, argv);
}
