// A pointer to words in the shared memory of a tile, for function templates that also work on words in the memory of an executor.
// load() of atomic.h is an instruction for device memory. It can read shared memory, too, but shared memory has a faster one.
// The preset racecheck defines VOXCC_RACECHECK. Loads and stores are then atomic operations: compute-sanitizer does not know relaxed loads
// and stores, and would report each load of a word that another lane updates. It still reports every plain access without a barrier.
#pragma once
#include "kernels3d/exec/atomic.h"

namespace voxcc::exec {

template <class T>
class SharedPointer {
public:
    VOXCC_HD explicit SharedPointer(T* p) : p_(p) {}
    VOXCC_HD T* plain() const { return p_; }
    VOXCC_HD T& operator[](std::int64_t i) const { return p_[i]; }
    VOXCC_HD SharedPointer operator+(std::int64_t n) const { return SharedPointer(p_ + n); }
    VOXCC_HD SharedPointer operator-(std::int64_t n) const { return SharedPointer(p_ - n); }

private:
    T* p_;
};

// The functions of atomic.h.
template <class T>
VOXCC_HD inline T load(SharedPointer<T> p) {
#if defined(__CUDA_ARCH__) && defined(VOXCC_RACECHECK)
    return T(atomicOr(cuda_word(p.plain()), 0));
#elif defined(__CUDA_ARCH__)
    return *const_cast<const volatile T*>(p.plain());
#else
    return load(p.plain());
#endif
}
template <class T>
VOXCC_HD inline void store(SharedPointer<T> p, std::type_identity_t<T> value) {
#if defined(__CUDA_ARCH__) && defined(VOXCC_RACECHECK)
    atomicExch(cuda_word(p.plain()), value);
#else
    store(p.plain(), value);
#endif
}
template <class T>
VOXCC_HD inline T fetch_min(SharedPointer<T> p, std::type_identity_t<T> value) {
    return fetch_min(p.plain(), value);
}

}  // namespace voxcc::exec
