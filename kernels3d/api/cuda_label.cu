// The public entry point for voxels on a CUDA device.
#include <voxcc/label.h>

#include "kernels3d/exec/cuda_executor.h"
#include "kernels3d/on_voxels/published_run.h"

namespace voxcc {
namespace {

constexpr std::int64_t most_voxels = (std::int64_t{1} << 31) - 1;

}  // namespace

DeviceLabelling label_on_device(const DeviceVolume& volume, std::uint32_t* labels, const DeviceOptions& options) {
    checked_bytes(volume.extent, 4, "volume");
    const Algorithm* const algorithm = find_algorithm(options.algorithm);
    if (!algorithm || !algorithm->run_cuda)
        throw Error(algorithm ? ErrorKind::unsupported_by_algorithm : ErrorKind::no_such_algorithm, "algorithm",
                    "'" + std::string(options.algorithm) + "' does not run on a CUDA device");
    const Connectivity connectivity = reduced(options.connectivity, volume.extent);
    if (!supports(*algorithm, connectivity))
        throw Error(ErrorKind::unsupported_by_algorithm, "connectivity",
                    std::string(algorithm->name) + " does not support " + std::to_string(number_of(connectivity)) + " neighbours");
    if (volume.extent.voxels() > most_voxels)
        throw Error(ErrorKind::unsupported_by_device, "volume", "more than 2^31 - 1 voxels are not labelled on a device");
    const bool sums = options.sums == DeviceOptions::Sums::compute;
    if (sums && !second_moments_fit(volume.extent)) throw Error(ErrorKind::unsupported, "sums", "sums of this volume may not fit 64 bits");
    exec::use_cuda_device(volume.device);
    exec::CudaExecutor executor;
    executor.set_timing(exec::Timing::none);
    exec::let_wait(executor.stream(), static_cast<cudaStream_t>(volume.stream));
    const exec::Grid size{std::uint32_t(volume.extent.nx), std::uint32_t(volume.extent.ny), std::uint32_t(volume.extent.nz)};
    const algorithms::Problem problem{.size = size,
                                      .connectivity = connectivity,
                                      .voxels = volume.voxels,
                                      .labels = labels,
                                      .measure = sums ? algorithms::Measure::late : algorithms::Measure::none};
    DeviceLabelling labelling;
    const algorithms::Result result = algorithm->run_cuda(executor, problem);
    labelling.count = result.components;
    if (sums) labelling.sums = sum_table(algorithms::on_host(executor, problem, result));
    exec::check(cudaStreamSynchronize(executor.stream()), "label");
    return labelling;
}

}  // namespace voxcc
