// Devices, and the published algorithms on them.
#include "kernels3d/exec/cuda.h"

#include "kernels3d/algorithms/rows.h"
#include "kernels3d/algorithms/run.h"
#include "kernels3d/exec/cuda_executor.h"

namespace voxcc::exec {
namespace {

const auto runs = algorithms::Rows::map([]<class Row>(Row) -> CudaRun { return &algorithms::run<Row, CudaExecutor>; });

/// Memory that is given back stays in the pool for the next volume.
void keep_freed_memory(int device) {
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "device");
    std::uint64_t keep = ~std::uint64_t{0};
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "device");
}

}  // namespace

void use_cuda_device(int device) {
    const std::string why = why_no_cuda(device);
    if (!why.empty()) throw Error(ExitCode::no_device, "--device cuda", why, "use --device cpu or auto");
    check(cudaSetDevice(device), "device");
    keep_freed_memory(device);
}

std::span<const CudaRun> cuda_runs() { return runs; }

std::string why_no_cuda(int device) {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) {
        cudaGetLastError();
        return std::string("there is no usable CUDA device: ") + cudaGetErrorString(result);
    }
    if (device >= count) return "there is no CUDA device " + std::to_string(device) + ", only " + std::to_string(count);
    return {};
}

PublishedRun run_on_cuda(CudaRun run, int device, const algorithms::Problem& host) {
    use_cuda_device(device);
    CudaExecutor executor;
    const std::int64_t n = host.size.cells();
    PublishedRun done;
    {
        Array<std::uint8_t> voxels(executor.memory(), n);
        Array<std::uint32_t> labels(executor.memory(), n);
        Array<std::uint64_t> values(executor.memory(), host.values.of ? n : 0);
        executor.timed("upload", [&] {
            check(cudaMemcpyAsync(voxels.data(), host.voxels, std::size_t(n), cudaMemcpyHostToDevice, executor.stream()), "upload");
            if (host.values.of)
                check(cudaMemcpyAsync(values.data(), host.values.of, std::size_t(n) * 8, cudaMemcpyHostToDevice, executor.stream()),
                      "upload");
        });
        executor.memory().reset_peak();
        const std::size_t before = executor.memory().peak();
        algorithms::Problem problem = host;
        problem.voxels = voxels.data();
        problem.labels = labels.data();
        problem.values.of = values.data();
        algorithms::Result result;
        executor.timed("whole", [&] { result = run(executor, problem); });
        const std::size_t bytes = executor.memory().peak() - before;
        executor.timed("download", [&] {
            if (host.labels)
                check(cudaMemcpyAsync(host.labels, labels.data(), std::size_t(n) * 4, cudaMemcpyDeviceToHost, executor.stream()),
                      "download");
            done = algorithms::on_host(executor, problem, result);
        });
        done.bytes = bytes;
        done.phases = executor.phases();
    }
    return done;
}

}  // namespace voxcc::exec
