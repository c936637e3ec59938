// Relaxed atomic operations with the same names for CPU threads and CUDA. All functions are thread-safe.
#pragma once
#include "kernels3d/base/host_device.h"

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace voxcc::exec {

#ifdef __CUDA_ARCH__
/// CUDA's 64-bit atomics take `unsigned long long`, which is a different type from std::uint64_t on Linux.
template <class T>
__device__ auto* cuda_word(T* p) {
    if constexpr (sizeof(T) == 8) return reinterpret_cast<unsigned long long*>(p);
    else return p;
}
#endif

/// Loads a word. On a GPU, the load uses the first-level cache and can return an older value. Union-find allows this: an older parent is an
/// ancestor in the same tree, and roots change only by atomic operations. Without this cache, merging takes 6 times as long.
template <class T>
VOXCC_HD inline T load(const T* p) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 8) {
        unsigned long long value;
        asm volatile("ld.ca.u64 %0, [%1];" : "=l"(value) : "l"(p));
        return T(value);
    } else if constexpr (sizeof(T) == 4) {
        unsigned value;
        asm volatile("ld.ca.u32 %0, [%1];" : "=r"(value) : "l"(p));
        return T(value);
    } else if constexpr (sizeof(T) == 2) {
        unsigned short value;
        asm volatile("ld.ca.u16 %0, [%1];" : "=h"(value) : "l"(p));
        return T(value);
    } else {
        static_assert(sizeof(T) == 1);
        unsigned short value;  // 16 bits is the narrowest register type
        asm volatile("ld.ca.u8 %0, [%1];" : "=h"(value) : "l"(p));
        return T(value);
    }
#else
    return std::atomic_ref<T>(*const_cast<T*>(p)).load(std::memory_order_relaxed);
#endif
}

template <class T>
VOXCC_HD inline void store(T* p, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
    *const_cast<volatile T*>(p) = value;
#else
    std::atomic_ref<T>(*p).store(value, std::memory_order_relaxed);
#endif
}

/// Stores the minimum of *p and `value`. This function and the functions below return the value of the word before the operation.
template <class T>
VOXCC_HD inline T fetch_min(T* p, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
    return T(atomicMin(cuda_word(p), value));
#else
    const std::atomic_ref<T> at(*p);
    T old = at.load(std::memory_order_relaxed);
    while (value < old && !at.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
#endif
}

template <class T>
VOXCC_HD inline T fetch_max(T* p, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
    return T(atomicMax(cuda_word(p), value));
#else
    const std::atomic_ref<T> at(*p);
    T old = at.load(std::memory_order_relaxed);
    while (value > old && !at.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
    return old;
#endif
}

template <class T>
VOXCC_HD inline T fetch_add(T* p, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
    return T(atomicAdd(cuda_word(p), value));
#else
    return std::atomic_ref<T>(*p).fetch_add(value, std::memory_order_relaxed);
#endif
}

template <class T>
VOXCC_HD inline T fetch_or(T* p, std::type_identity_t<T> bits) {
#ifdef __CUDA_ARCH__
    return T(atomicOr(cuda_word(p), bits));
#else
    return std::atomic_ref<T>(*p).fetch_or(bits, std::memory_order_relaxed);
#endif
}

template <class T>
VOXCC_HD inline T fetch_and(T* p, std::type_identity_t<T> bits) {
#ifdef __CUDA_ARCH__
    return T(atomicAnd(cuda_word(p), bits));
#else
    return std::atomic_ref<T>(*p).fetch_and(bits, std::memory_order_relaxed);
#endif
}

/// Stores `value` if the word is `expected`.
template <class T>
VOXCC_HD inline T exchange_if(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
    return T(atomicCAS(cuda_word(p), expected, value));
#else
    std::atomic_ref<T>(*p).compare_exchange_strong(expected, value, std::memory_order_relaxed);
    return expected;
#endif
}

/// Increments *count, the length of a list, and returns the index of the new element. On a GPU, the active lanes of a warp share one
/// atomic operation.
VOXCC_HD inline std::uint32_t append(std::uint32_t* count) {
#ifdef __CUDA_ARCH__
    const unsigned here = __activemask();
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    const int leader = __ffs(int(here)) - 1;
    unsigned first = 0;
    if (int(lane) == leader) first = atomicAdd(count, unsigned(__popc(here)));
    return __shfl_sync(here, first, leader) + unsigned(__popc(here & ((1u << lane) - 1)));
#else
    return fetch_add(count, 1);
#endif
}

}  // namespace voxcc::exec
