// Tests label_on_device() with voxels, labels and stream of the caller, on the device of --device.
#include <voxcc/label.h>

#include "device.h"
#include "kernels/device_array.h"
#include "kernels/oracle.h"

#include <optional>
#include <random>

using namespace voxcc;

TEST_CASE("label on device: memory and stream of the caller") {
    if (test_device().kind != Device::Kind::cuda) return;
    const int device = test_device().numbers.front();
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    std::mt19937 random(11);
    for (const Extent& extent : {Extent{1, 1, 1}, Extent{65, 7, 5}, Extent{64, 33, 18}, Extent{130, 66, 1}}) {
        const auto size = std::size_t(extent.voxels());
        std::vector<std::uint8_t> voxels(size);
        for (auto& voxel : voxels) voxel = std::uint8_t(random() % 3 == 0);
        const oracle::Shape shape{long(extent.nx), long(extent.ny), long(extent.nz)};
        for (const int neighbours : {6, 18, 26})
            for (const char* algorithm : {"block-runs", "uf"}) {
                cudaStream_t stream = nullptr;
                REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
                DeviceArray<std::uint8_t> in(size);
                DeviceArray<std::uint32_t> out(size);
                // The test does not wait for the copy; the labelling must wait for the stream.
                REQUIRE(cudaMemcpyAsync(in.data, voxels.data(), size, cudaMemcpyHostToDevice, stream) == cudaSuccess);
                const auto labelling = label_on_device(
                    {.voxels = in.data, .extent = extent, .device = device, .stream = stream}, out.data,
                    {.connectivity = *connectivity_of(neighbours), .algorithm = algorithm, .sums = DeviceOptions::Sums::compute});
                std::vector<std::uint32_t> labels(size);
                REQUIRE(cudaMemcpy(labels.data(), out.data, 4 * size, cudaMemcpyDeviceToHost) == cudaSuccess);
                const auto right = oracle::flood_fill(std::vector<int>(voxels.begin(), voxels.end()), shape, neighbours);
                CHECK(labelling.count == right.count);
                CHECK(std::vector<std::uint64_t>(labels.begin(), labels.end()) == right.of);
                REQUIRE(labelling.sums);
                REQUIRE(labelling.sums->size() == right.count);
                std::uint64_t total = 0;
                for (std::size_t row = 0; row < right.count; ++row) total += labelling.sums->voxels(row);
                CHECK(total == std::uint64_t(std::count(voxels.begin(), voxels.end(), 1)));
                cudaStreamDestroy(stream);
            }
    }
}

TEST_CASE("label on device: invalid requests are errors") {
    const auto kind = [](const DeviceVolume& volume, const DeviceOptions& options) -> std::optional<ErrorKind> {
        try {
            label_on_device(volume, nullptr, options);
        } catch (const Error& error) {
            return error.kind();
        }
        return std::nullopt;
    };
    CHECK(kind({.extent = {4, 4, 4}, .device = 1023}, {}) == ErrorKind::no_device);
    CHECK(kind({.extent = {0, 4, 4}}, {}) == ErrorKind::invalid_extent);
    CHECK(kind({.extent = {4, 4, 4}}, {.algorithm = "none"}) == ErrorKind::no_such_algorithm);
    CHECK(kind({.extent = {1 << 11, 1 << 11, 1 << 11}}, {}) == ErrorKind::unsupported_by_device);
}
