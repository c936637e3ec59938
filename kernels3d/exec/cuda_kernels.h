// The CUDA kernels that run functors over indices, cells and tiles. Part of cuda_executor.h.
#pragma once
#include "kernels3d/exec/executor.h"
#include "kernels3d/exec/tile.h"

#include <algorithm>

namespace voxcc::exec::cuda {

inline constexpr unsigned block = 256;  // threads per block of for_each_index and for_each_cell_of_long_grid

/// Whether a kernel may start before the previous kernel of the stream has ended (compute capability 9.0). False for more than 2^16 blocks:
/// large grids gain nothing from an early start, and blocks of a few instructions then take a third longer.
__host__ __device__ inline bool may_start_early(dim3 blocks) { return std::uint64_t(blocks.x) * blocks.y * blocks.z <= 1 << 16; }

/// Must be the first call in every kernel. Allows the next kernel of the stream to start early, and waits until the results of the kernel
/// before are visible.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    if (!may_start_early(gridDim)) return;
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

/// The lanes per block of a functor over cells; see Lanes (executor.h).
template <class F>
constexpr Lanes lanes_of() {
    if constexpr (requires { F::lanes; }) return F::lanes;
    else return {32, 8, 1};
}

template <class F>
constexpr int lanes_per_block() {
    return int(lanes_of<F>().x * lanes_of<F>().y * lanes_of<F>().z);
}

/// The wanted lanes. While x is more than 32 and at least twice the grid's x, x is halved and y is doubled.
inline dim3 lanes_for(Lanes wanted, const Grid& grid) {
    for (; wanted.x > 32 && wanted.x / 2 >= grid.x; wanted.x /= 2) wanted.y *= 2;
    return {wanted.x, wanted.y, wanted.z};
}

/// The largest numbers of resident lanes and blocks per multiprocessor, for the architecture that the code is compiled for. Source: CUDA
/// C++ Programming Guide, "Compute Capabilities".
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
inline constexpr int most_lanes = 2048, most_blocks = 32;
#elif __CUDA_ARCH__ == 750
inline constexpr int most_lanes = 1024, most_blocks = 16;
#elif __CUDA_ARCH__ == 890
inline constexpr int most_lanes = 1536, most_blocks = 24;
#else
inline constexpr int most_lanes = 1536, most_blocks = 16;
#endif

/// The blocks of a kernel that should be resident at the same time, for __launch_bounds__.
template <class F>
constexpr int resident_blocks(int lanes_per_block) {
    return std::min({resident_of<F>(), most_lanes / lanes_per_block, most_blocks});
}

/// The resident blocks of a kernel over cells, for __launch_bounds__. 0 if the functor does not choose `resident`: the compiler then uses
/// few registers. With 1, the scan of be has 74 registers instead of 36 and takes 1.95 instead of 1.38 ms (NVIDIA H200, 2026-11-23, 512^3,
/// random 50 %, 26 neighbours).
template <class F>
constexpr int resident_blocks_of_cells() {
    if constexpr (requires { F::resident; }) return resident_blocks<F>(lanes_per_block<F>());
    else return 0;
}

template <class F>
__global__ void for_each_index(std::int64_t n, F f) {
    wait_for_kernel_before();
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

template <class F>
__global__ void __launch_bounds__(lanes_per_block<F>(), resident_blocks_of_cells<F>()) for_each_cell(Grid grid, F f) {
    wait_for_kernel_before();
    const Cell c{blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.z * blockDim.z + threadIdx.z};
    if (c.x < grid.x && c.y < grid.y && c.z < grid.z) f(c);
}

/// For grids with more blocks along y or z than a launch allows (65535).
template <class F>
__global__ void for_each_cell_of_long_grid(Grid grid, F f) {
    wait_for_kernel_before();
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= grid.cells()) return;
    f(Cell{std::uint32_t(i % grid.x), std::uint32_t(i / grid.x % grid.y), std::uint32_t(i / grid.x / grid.y)});
}

template <class Chosen>
struct CountChosen {
    Chosen is_chosen;
    std::uint32_t* count;
    __device__ void operator()(std::int64_t i) const {
        const unsigned vote = __ballot_sync(__activemask(), is_chosen(i));
        if (vote && (threadIdx.x & 31) == 0) atomicAdd(count, __popc(vote));
    }
};
template <class T>
struct Fill {
    T* data;
    T value;
    __device__ void operator()(std::int64_t i) const { data[i] = value; }
};

template <int Lanes, class Shared, class F>
__global__ void __launch_bounds__(Lanes, resident_blocks<F>(Lanes)) for_each_tile(F f) {
    wait_for_kernel_before();
    __shared__ Shared shared;
    CudaTile<Lanes, Shared> tile(shared);
    f(tile, std::int64_t(blockIdx.x));
}

}  // namespace voxcc::exec::cuda
