// Labels volumes with published algorithms: reads the voxels, runs the algorithm, and returns a labelling.
#include "lab/algorithms/label_published.h"

#include <voxcc/source.h>
#include <voxcc/threads.h>

#include "kernels3d/api/algorithm_functions.h"
#include "kernels3d/exec/cpu_executor.h"
#include "lab/algorithms/compared_values.h"
#include "lab/algorithms/cuda_runs.h"
#include "lab/algorithms/label_volume.h"

namespace voxcc {
namespace {

constexpr std::int64_t most_voxels = (std::int64_t{1} << 31) - 1;  // published algorithms need one spare bit per label

[[noreturn]] void refuse(const Algorithm& algorithm, const std::string& cause) {
    throw Error(ErrorKind::unsupported_by_algorithm, "algorithm " + std::string(algorithm.name), cause);
}

/// @param type type of the values, for rules that compare values
void check(const Algorithm& algorithm, const block_runs::Request& request, ScalarType type) {
    if (request.periodic.any()) refuse(algorithm, "does not support periodic axes");
    if (!supports(algorithm, reduced(request.connectivity, request.extent)))
        refuse(algorithm, "does not support connectivity " + std::to_string(number_of(request.connectivity)));
    check_compared_type(request.rule, type);
    if (request.extent.voxels() > most_voxels)
        refuse(algorithm,
               "supports at most " + std::to_string(most_voxels) + " voxels; the volume has " + std::to_string(request.extent.voxels()));
}

/// A volume in host memory in the form that published algorithms take.
struct HostVoxels {
    std::vector<std::uint8_t> foreground;  // [z][y][x], 0 or 1
    ComparedValues values;
};

HostVoxels read_voxels(RowSource& source, const block_runs::Request& request) {
    const Extent& extent = request.extent;
    const Rule rule = request.rule;
    HostVoxels voxels;
    voxels.values = {.rule = rule, .most = request.difference, .type = source.value_type(), .words = {}};
    voxels.foreground.resize(std::size_t(extent.voxels()));
    if (rule != Rule::foreground) voxels.values.words.reserve(voxels.foreground.size());
    std::vector<std::uint64_t> bits(std::size_t(words_of(extent.nx)));
    std::vector<std::byte> buffer;
    std::uint8_t* to = voxels.foreground.data();
    for (RowRange rows; rows.first < extent.rows(); rows.first = rows.end()) {
        rows.count = std::min(source.rows_per_fetch(), extent.rows() - rows.first);
        const std::byte* const fetched = source.fetch(rows, buffer);
        for (std::int64_t i = 0; i < rows.count; ++i) {
            source.pack(fetched, rows, i, bits.data());
            for (std::int64_t x = 0; x < extent.nx; ++x) *to++ = bits[std::size_t(x / 64)] >> (x % 64) & 1;
            if (rule == Rule::foreground) continue;
            append_words(rule, source.value_type(), source.values(fetched, rows, i), extent.nx, voxels.values.words);
        }
    }
    return voxels;
}

/// The word of the first voxel of each component, by label.
std::vector<std::uint64_t> first_values(const std::vector<std::uint32_t>& labels, const std::vector<std::uint64_t>& values) {
    std::vector<std::uint64_t> first;
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] > first.size()) first.push_back(values[i]);  // components are numbered by their first voxel
    return first;
}

}  // namespace

PublishedRun run_published(const Algorithm& algorithm, const Device& device, const Extent& extent, Connectivity connectivity,
                           const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool, algorithms::Measure measure,
                           const algorithms::Values& values, const RunSettings& settings, MemoryLimit* memory) {
    using algorithms::Measure;
    if (!supports(algorithm, settings.relabel)) refuse(algorithm, "does not relabel by a scan");
    if (!supports(algorithm, measure)) refuse(algorithm, "does not compute properties in the way '" + std::string(name_of(measure)) + "'");
    if (measure != Measure::none && !second_moments_fit(extent))
        refuse(algorithm, "sums moments in 64 bits, which the moments of this volume may exceed");
    const exec::Grid size{std::uint32_t(extent.nx), std::uint32_t(extent.ny), std::uint32_t(extent.nz)};
    algorithms::Problem problem{.size = size,
                                .connectivity = reduced(connectivity, extent),
                                .voxels = voxels,
                                .labels = labels,
                                .values = values,
                                .measure = measure,
                                .relabel = settings.relabel};
    if (device.kind == Device::Kind::cuda) {
        if (device.numbers.size() > 1) refuse(algorithm, "runs on one device only");
        problem.labels = measure == Measure::analysis ? nullptr : labels;  // null: the words are not copied to the host
        return exec::run_on_cuda(algorithm.functions->run_cuda, device.numbers.front(), problem, settings.timing, settings.allocation);
    }
    exec::CpuExecutor executor(pool, memory);
    const algorithms::Result result = algorithm.functions->run_cpu(executor, problem);
    TakenMemory of_host(memory);  // of the copies, and of the table that sum_table() makes of them
    if (measure != Measure::none) of_host.take(2 * std::int64_t(result.components) * std::int64_t(sizeof(Sums<std::uint64_t>)));
    PublishedRun run = algorithms::on_host(executor, problem, result);
    run.phases = executor.phases();
    run.bytes = executor.memory().peak();
    run.allocated = executor.memory().allocated();
    return run;
}

namespace {

/// How the sums for a request are computed. none: they may not fit into 64 bits, and the labelling sums on the host.
algorithms::Measure measure_for(const Algorithm& algorithm, const block_runs::Request& request) {
    using algorithms::Measure;
    if (!second_moments_fit(request.extent)) return Measure::none;
    return request.results == Results::sums && supports(algorithm, Measure::analysis) ? Measure::analysis : Measure::late;
}

}  // namespace

std::unique_ptr<Labelling> label_published(const Algorithm& algorithm, const Device& device, const block_runs::Request& request,
                                           RowSource& source, ThreadPool& pool) {
    using algorithms::Measure;
    check(algorithm, request, source.value_type());
    Seconds seconds;
    Stopwatch watch;
    const HostVoxels voxels = read_voxels(source, request);
    seconds.pack = watch.lap();
    const Measure measure = measure_for(algorithm, request);
    const bool on_device_only = measure == Measure::analysis && device.kind == Device::Kind::cuda;
    std::vector<std::uint32_t> labels(on_device_only ? 0 : voxels.foreground.size());
    const PublishedRun run = run_published(algorithm, device, request.extent, request.connectivity, voxels.foreground.data(), labels.data(),
                                           pool, measure, values_for(voxels.values), {}, request.memory);
    for (const exec::Phase& phase : run.phases)
        if (phase.name == "properties") seconds.measure = phase.milliseconds / 1000;
    seconds.unite = watch.lap() - seconds.measure;
    std::optional<SumTable> sums;
    if (measure != Measure::none) sums = sum_table(run);
    auto memory = std::make_unique<TakenMemory>(request.memory);
    memory->take(std::int64_t(run.components) * algorithms::LabelVolume::bytes_per_component);
    if (measure == Measure::analysis)
        return std::make_unique<algorithms::SumsWithoutLabels>(run.components, std::move(*sums), seconds, std::move(memory));
    std::vector<std::uint64_t> source_values;
    if (request.rule == Rule::equal_values) source_values = first_values(labels, voxels.values.words);
    return std::make_unique<algorithms::LabelVolume>(request.extent, std::move(labels), run.components, std::move(sums), seconds,
                                                     std::move(source_values), std::move(memory));
}

}  // namespace voxcc
