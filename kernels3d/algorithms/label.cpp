#include "kernels3d/algorithms/label.h"

#include "kernels3d/algorithms/label_volume.h"
#include "kernels3d/algorithms/problem.h"
#include "kernels3d/exec/cpu_executor.h"
#include "kernels3d/exec/cuda.h"

#include <chrono>

namespace voxcc {
namespace {

constexpr std::int64_t most_voxels = (std::int64_t{1} << 31) - 1;  // of labels with a bit to spare

[[noreturn]] void refuse(const AlgorithmRow& row, const std::string& cause) {
    throw Error(ExitCode::usage, "--algorithm " + std::string(row.name), cause, "use --algorithm block-runs");
}

void check(const AlgorithmRow& row, const block_runs::Request& request) {
    if (request.rule != block_runs::Rule::foreground) refuse(row, "labels by foreground only, not by equal values");
    if (request.periodic.any()) refuse(row, "knows no periodic axes");
    if (!supports(row, reduced(request.connectivity, request.extent)))
        refuse(row, "has no connectivity " + std::to_string(number_of(request.connectivity)));
    if (request.extent.voxels() > most_voxels)
        refuse(row, "holds " + std::to_string(most_voxels) + " voxels at most, the volume has " + std::to_string(request.extent.voxels()));
}

/// Foreground as bytes 0 and 1.
std::vector<std::uint8_t> bytes_of(block_runs::RowSource& source, const Extent& extent) {
    std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()));
    std::vector<std::uint64_t> bits(std::size_t((extent.nx + 63) / 64));
    std::vector<std::byte> buffer;
    std::uint8_t* to = voxels.data();
    for (RowRange rows; rows.first < extent.rows(); rows.first = rows.end()) {
        rows.count = std::min(source.rows_a_fetch(), extent.rows() - rows.first);
        const std::byte* const fetched = source.fetch(rows, buffer);
        for (std::int64_t i = 0; i < rows.count; ++i) {
            source.pack(fetched, rows, i, bits.data());
            for (std::int64_t x = 0; x < extent.nx; ++x) *to++ = bits[std::size_t(x / 64)] >> (x % 64) & 1;
        }
    }
    return voxels;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

PublishedRun run_published(const AlgorithmRow& row, const Device& device, const Extent& extent, Connectivity connectivity,
                           const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool) {
    const exec::Grid size{std::uint32_t(extent.nx), std::uint32_t(extent.ny), std::uint32_t(extent.nz)};
    const algorithms::Problem problem{size, reduced(connectivity, extent), voxels, labels};
    if (device.kind == Device::Kind::cuda) {
        if (!row.run_cuda) {
            const std::string why = exec::why_no_cuda(device.number);
            throw Error(ExitCode::no_device, "--device cuda", why.empty() ? std::string(row.name) + " has no CUDA version" : why,
                        "use --device cpu or auto");
        }
        exec::CudaResult result = exec::run_on_cuda(row.run_cuda, device.number, problem);
        return {result.components, std::move(result.phases), result.bytes};
    }
    exec::CpuExecutor executor(pool);
    const std::uint32_t components = row.run_cpu(executor, problem);
    return {components, executor.phases(), executor.memory().peak()};
}

std::unique_ptr<block_runs::Labelling> label(const AlgorithmRow& row, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool) {
    if (!row.is_published()) return block_runs::label(request, source, pool);
    check(row, request);
    block_runs::Seconds seconds;
    auto begin = std::chrono::steady_clock::now();
    const std::vector<std::uint8_t> voxels = bytes_of(source, request.extent);
    seconds.pack = seconds_since(begin);
    begin = std::chrono::steady_clock::now();
    std::vector<std::uint32_t> labels(voxels.size());
    const PublishedRun run = run_published(row, device, request.extent, request.connectivity, voxels.data(), labels.data(), pool);
    seconds.unite = seconds_since(begin);
    return std::make_unique<algorithms::LabelVolume>(request.extent, std::move(labels), run.components, seconds);
}

}  // namespace voxcc
