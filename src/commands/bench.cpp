// `voxcc bench`: runs the evaluations of the laboratory, on generated volumes or on files.
#include <voxcc/foreground.h>
#include <voxcc/source.h>
#include "io/files/checked_file.h"
#include "src/commands/overwrite.h"
#include "src/laboratory/laboratory.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/input.h"
#include "src/provenance/version.h"

#include <filesystem>

namespace voxcc {
namespace {

/// Reads a file. @return [z][y][x], 1 for voxels that are neither 0 nor NaN, else 0
std::vector<std::uint8_t> foreground_of(const ChosenVolume& volume) {
    const auto reader = open(volume);
    const io::VolumeInfo& info = reader->info();
    const ForegroundPacker packer(info.type, {.slope = info.scaling.slope, .intercept = info.scaling.intercept});
    const std::int64_t nx = info.extent.nx, row_bytes = nx * size_of(info.type);
    std::vector<std::uint8_t> voxels(std::size_t(info.extent.voxels()));
    std::vector<std::uint64_t> bits(std::size_t(words_of(nx)));
    std::uint8_t* to = voxels.data();
    for_each_row_buffer(*reader, [&](RowRange rows, std::span<const std::byte> bytes) {
        for (std::int64_t row = 0; row < rows.count; ++row) {
            packer.pack(default_isa(), bytes.data() + row * row_bytes, nx, bits.data());
            for (std::int64_t x = 0; x < nx; ++x) *to++ = bits[std::size_t(x / 64)] >> (x % 64) & 1;
        }
    });
    return voxels;
}

/// Reads a file. @return [z][y][x] the stored values
std::vector<std::byte> values_of(const ChosenVolume& volume) {
    const auto reader = open(volume);
    std::vector<std::byte> values;
    values.reserve(std::size_t(reader->info().extent.voxels() * size_of(reader->info().type)));
    for_each_row_buffer(*reader,
                        [&](RowRange, std::span<const std::byte> bytes) { values.insert(values.end(), bytes.begin(), bytes.end()); });
    return values;
}

bench::Volume volume_of(const ChosenVolume& volume) {
    const io::VolumeInfo info = describe(volume);
    return {.name = volume.input,
            .parameters = {},
            .extent = info.extent,
            .voxels = [volume] { return foreground_of(volume); },
            .data_set = std::filesystem::absolute(volume.path).parent_path().filename().string(),
            .values = [volume] { return values_of(volume); },
            .value_type = info.type,
            .channels = info.channels};
}

/// The files; the data set of a file is the name of its folder.
std::vector<bench::Volume> volumes_of(const BenchOptions& options) {
    std::vector<bench::Volume> volumes;
    for (const std::string& input : options.inputs) volumes.push_back(volume_of(choose_volume(input, options.input)));
    return volumes;
}

}  // namespace

int run_bench(const BenchOptions& options) {
    const LabModule& lab = lab_module("bench");
    const Isa isa = options.isa.value_or(best_isa());
    set_default_isa(isa);
    const Reporter reporter(options.messages);
    const std::string& path = options.bench.csv;
    io::OutputFiles outputs(overwrite_of(options.existing), files_read(options.inputs, {}, options.input));
    io::OutputFile* const file = path.empty() || path == "-" ? nullptr : &outputs.create(path);
    {
        ProgressBar progress(options.messages);
        lab.run_bench(options.bench, isa, version(), volumes_of(options),
                      [file](std::string_view text) {
                          if (file) file->write(text);
                          else print_result(text);
                      },
                      {[&](std::int64_t done, std::int64_t total) { progress.update("bench", done, total); },
                       [&](const std::string& text) { reporter.note(text); }});
    }
    if (file) file->close();
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
