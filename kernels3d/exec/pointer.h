// The pointer type with which functors access voxels and words in the memory of an executor: a plain pointer.
// lab/algorithms/count_accesses.cpp compiles the algorithms a second time, with a pointer type that counts accesses.
#pragma once
#include "kernels3d/base/host_device.h"

#include <cstdint>
#include <cstring>

#ifdef VOXCC_COUNT_ACCESSES
#include "kernels3d/exec/counting_pointer.h"
#endif

namespace voxcc::exec {

#ifdef VOXCC_COUNT_ACCESSES
template <class T>
using Pointer = CountingPointer<T>;
#else
template <class T>
using Pointer = T*;
#endif

template <class T>
VOXCC_HD inline std::uintptr_t address_of(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

/// Reads four bytes at once.
/// @param p must be a multiple of 4
VOXCC_HD inline std::uint32_t word_at(const std::uint8_t* p) {
    std::uint32_t word;
    std::memcpy(&word, __builtin_assume_aligned(p, 4), sizeof word);
    return word;
}

}  // namespace voxcc::exec
