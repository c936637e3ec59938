// Runs of the published algorithms on CUDA devices, and descriptions of the devices.
#include "lab/algorithms/cuda_runs.h"

#include <voxcc/threads.h>
#include "kernels3d/api/measurements.h"
#include "kernels3d/exec/cuda_executor.h"
#include "lab/algorithms/cuda_published.h"

namespace voxcc::exec {
namespace {

/// The runs of all parts, in the order of algorithms::Published.
std::vector<CudaRun> all_runs() {
    std::vector<CudaRun> runs;
    [&]<std::size_t... Part>(std::index_sequence<Part...>) {
        (runs.insert(runs.end(), cuda_published<Part>().begin(), cuda_published<Part>().end()), ...);
    }
    (std::make_index_sequence<cuda_parts>{});
    return runs;
}

/// A CUDA version number as text: 13000  ->  "13.0".
std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// Reads u8 voxels and writes them as u32, four voxels per thread. With one voxel per thread, it reaches a third of the memory bandwidth.
struct Stream {
    const std::uint8_t* from;
    std::uint32_t* to;
    std::int64_t n;
    __device__ void operator()(std::int64_t quarter) const {
        const std::int64_t i = 4 * quarter;
        if (i + 4 > n) {
            for (std::int64_t k = i; k < n; ++k) to[k] = from[k];
            return;
        }
        const uchar4 v = __ldcs(reinterpret_cast<const uchar4*>(from + i));
        __stcs(reinterpret_cast<uint4*>(to + i), uint4{v.x, v.y, v.z, v.w});
    }
};

}  // namespace

std::span<const CudaRun> cuda_runs() {
    static const std::vector<CudaRun> runs = all_runs();
    return runs;
}

PublishedRun run_on_cuda(CudaRun run, int device, const algorithms::Problem& host, Timing timing, Allocation allocation) {
    use_cuda_device(device);
    CudaExecutor executor(allocation);
    const std::int64_t n = host.size.cells();
    PublishedRun done;
    {
        Stopwatch watch;
        Array<std::uint8_t> voxels(executor.memory(), n);
        Array<std::uint64_t> values(executor.memory(), host.values.of ? n : 0);
        const double of_input = executor.allocation_milliseconds();
        Array<std::uint32_t> labels(executor.memory(), n);
        check(cudaStreamSynchronize(executor.stream()), "allocation");
        const double from_pool = 1000 * watch.lap();
        executor.timed("upload", [&] {
            check(cudaMemcpyAsync(voxels.data(), host.voxels, std::size_t(n), cudaMemcpyHostToDevice, executor.stream()), "upload");
            if (host.values.of)
                check(cudaMemcpyAsync(values.data(), host.values.of, std::size_t(n) * 8, cudaMemcpyHostToDevice, executor.stream()),
                      "upload");
        });
        executor.memory().reset_peak();
        const std::size_t before = executor.memory().peak(), allocated_before = executor.memory().allocated();
        algorithms::Problem problem = host;
        problem.voxels = voxels.data();
        problem.labels = labels.data();
        problem.values.of = values.data();
        algorithms::Result result;
        executor.set_timing(timing);
        // While the device fills the labels with a value that no label has, the host issues the first phases, as in measure_cuda_stream().
        const auto fill_labels = [&] {
            check(cudaMemsetAsync(labels.data(), 0xff, std::size_t(n) * sizeof(std::uint32_t), executor.stream()), "fill");
        };
        executor.timed_from_first_phase("algorithm", fill_labels, [&] { result = run(executor, problem); });
        const std::size_t bytes = executor.memory().peak() - before, allocated = executor.memory().allocated() - allocated_before;
        executor.timed("download", [&] {
            if (host.labels)
                check(cudaMemcpyAsync(host.labels, labels.data(), std::size_t(n) * 4, cudaMemcpyDeviceToHost, executor.stream()),
                      "download");
            done = algorithms::on_host(executor, problem, result);
        });
        done.bytes = bytes;
        done.allocated = allocated;
        done.phases = executor.phases();
        labels = {};
        const double fresh = executor.allocation_milliseconds() - of_input;
        done.phases.insert(done.phases.begin(), {"allocation", allocation == Allocation::pool ? from_pool : fresh, 1});
    }
    return done;
}

}  // namespace voxcc::exec

namespace voxcc {

CudaDevice describe_cuda(int device) {
    exec::use_cuda_device(device);
    cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    exec::check(cudaGetDeviceProperties(&properties, device), "device");
    exec::check(cudaDriverGetVersion(&driver), "device");
    exec::check(cudaRuntimeGetVersion(&runtime), "device");
    return {properties.name, exec::version_text(driver), exec::version_text(runtime)};
}

double measure_cuda_stream(int device, std::int64_t n) {
    exec::use_cuda_device(device);
    exec::CudaExecutor executor;
    exec::Array<std::uint8_t> from(executor.memory(), n);
    const exec::Array<std::uint32_t> to(executor.memory(), n);
    executor.fill("fill", from, std::uint8_t{1});
    executor.for_each("stream", (n + 3) / 4, exec::Stream{from.data(), to.data(), n});
    executor.reset_phases();
    executor.for_each("stream", (n + 3) / 4, exec::Stream{from.data(), to.data(), n});
    return executor.phases().front().milliseconds;
}

}  // namespace voxcc
