// Words that several threads read and change at once: relaxed atomics, one spelling for CPU threads and CUDA.
#pragma once
#include "kernels3d/host_device.h"

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace voxcc::exec {

#ifdef __CUDA_ARCH__
/// CUDA's atomics know `unsigned long long`, which is not std::uint64_t on Linux.
template <class T>
__device__ auto* cuda_word(T* p) {
    if constexpr (sizeof(T) == 8) return reinterpret_cast<unsigned long long*>(p);
    else return p;
}
#endif

template <class T>
VOXCC_HD inline T load(const T* p) {
#ifdef __CUDA_ARCH__
    return *const_cast<const volatile T*>(p);
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

/// @return what was there before; so do all below
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
    while (old < value && !at.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
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

}  // namespace voxcc::exec
