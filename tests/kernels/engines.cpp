// Compiles the tile engine and the slab engine for every connectivity and rule on CPU executors. This takes a minute, so that only this
// file does it.
#include "kernels/slabs.h"
#include "kernels3d/api/cuda.h"
#include "kernels3d/api/label.h"
#include "kernels3d/api/tiles_on_voxels.h"
#include "kernels3d/engine/gpu_slabs/slab_labelling.h"
#include "kernels3d/engine/request.h"

using namespace voxcc;
using published::on_gpu;
using published::pool;

std::unique_ptr<exec::CpuExecutor> slabs_tests::device_of_threads(std::size_t d) {
    static std::array<std::unique_ptr<ThreadPool>, 4> pools;
    if (!pools[d]) pools[d] = std::make_unique<ThreadPool>(d == 0 ? 2 : 1);
    return std::make_unique<exec::CpuExecutor>(*pools[d]);
}

std::unique_ptr<Labelling> tiles_tests::labelled(const block_runs::Request& request, RowSource& source) {
    if (on_gpu()) return label(*find_algorithm("block-runs"), test_device(), request, source, pool());
    return block_runs::tiles::label_in_tiles<exec::CpuExecutor>(request, source, pool(), [] { return slabs_tests::device_of_threads(0); });
}

PublishedRun tiles_tests::labelled_with_sums(const Extent& extent, Connectivity c, const std::uint8_t* voxels, std::uint32_t* labels) {
    if (on_gpu())
        return run_published(*find_algorithm("block-runs"), test_device(), extent, c, voxels, labels, pool(), algorithms::Measure::late);
    exec::CpuExecutor executor(pool());
    const algorithms::Problem problem{.size = {std::uint32_t(extent.nx), std::uint32_t(extent.ny), std::uint32_t(extent.nz)},
                                      .connectivity = reduced(c, extent),
                                      .voxels = voxels,
                                      .labels = labels,
                                      .measure = algorithms::Measure::late};
    const algorithms::Result result = block_runs::tiles::run(executor, problem);
    return algorithms::on_host(executor, problem, result);
}

std::unique_ptr<Labelling> slabs_tests::labelled(const block_runs::Request& request, RowSource& source, const Cut& cut) {
    if (on_gpu()) {
        std::vector<int> numbers;
        for (std::size_t d = 0; d < cut.devices; ++d) numbers.push_back(test_devices()[d % test_devices().size()]);
        return exec::label_in_cuda_slabs(request, source, pool(), numbers, cut.limits);
    }
    return label_in_slabs<exec::CpuExecutor>(request, source, pool(), cut.devices, device_of_threads, cut.limits);
}
