// Loads and stores of 16 aligned bytes.
#pragma once
#include "kernels3d/base/host_device.h"

#include <cstdint>
#include <cstring>

namespace voxcc::exec {

/// 16 bytes at an address that is a multiple of 16. CUDA loads them with a streaming hint, because they are not read again soon.
struct alignas(16) Quad {
    std::uint32_t words[4];
};
VOXCC_HD inline Quad load_quad(const void* p) {
    Quad q;
#ifdef __CUDA_ARCH__
    const uint4 v = __ldcs(static_cast<const uint4*>(p));
    q = {{v.x, v.y, v.z, v.w}};
#else
    std::memcpy(&q, p, sizeof q);
#endif
    return q;
}
VOXCC_HD inline void store_quad(void* p, const Quad& q) {
#ifdef __CUDA_ARCH__
    *static_cast<uint4*>(p) = {q.words[0], q.words[1], q.words[2], q.words[3]};
#else
    std::memcpy(p, &q, sizeof q);
#endif
}

}  // namespace voxcc::exec
