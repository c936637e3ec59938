// CUDA devices: presence, choice, and access to each other's memory.
#include <voxcc/device.h>

#include "kernels3d/api/cuda.h"
#include "kernels3d/exec/cuda_memory.h"

#include <unistd.h>

namespace voxcc::exec {
namespace {

/// Makes the memory pool of a device keep freed memory for the next volume.
void keep_freed_memory(int device) {
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "device");
    std::uint64_t keep = ~std::uint64_t{0};
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "device");
}

}  // namespace

void use_cuda_device(int device) {
    const std::string why = why_no_cuda(device);
    if (!why.empty()) throw Error(ErrorKind::no_device, "device cuda", why);
    check(cudaSetDevice(device), "device");
    keep_freed_memory(device);
}

void start_cuda_devices(std::span<const int> devices) {
    for (const int device : devices) use_cuda_device(device);
}

void connect_cuda_devices(int from, int to) {
    int possible = 0;
    if (from != to) check(cudaDeviceCanAccessPeer(&possible, to, from), "device");
    if (!possible) return;
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, from), "device");
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = to;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check(cudaMemPoolSetAccess(pool, &access, 1), "device");
}

std::string why_no_cuda(int device) {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) {
        cudaGetLastError();
        return std::string("no CUDA device can be used: ") + cudaGetErrorString(result);
    }
    if (device >= count) return "CUDA device " + std::to_string(device) + " does not exist (devices found: " + std::to_string(count) + ")";
    return {};
}

}  // namespace voxcc::exec

bool voxcc::has_cuda_driver() {
    constexpr auto is_there = [](const char* path) { return access(path, F_OK) == 0; };
    return is_there("/dev/nvidiactl") || is_there("/dev/dxg");  // of Linux, and of Windows Subsystem for Linux
}
