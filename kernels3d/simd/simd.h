// Kernels with hand-written AVX2 and AVX-512 versions: a row of flags to bits, a row of bits to labels, copies of labels.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstddef>
#include <cstdint>

namespace voxcc::block_runs {

/// Bit x of `bits` (ceil(nx / 64) words, bits past nx are zero) says whether flags[x] is not zero.
void pack_row(Isa isa, const std::uint8_t* flags, std::int64_t nx, std::uint64_t* bits);

/// A row to be painted, in words of 64 columns.
template <class Id>
struct PaintRow {
    const std::uint64_t* bits;    // foreground; bits past the row's end must be zero
    const std::uint64_t* starts;  // columns where a run starts
    const Id* before;             // per word: index of the label of the last run that starts before the word
};

/// to[i] = the unsigned integer in the three bytes from 3 i on, lowest first.
void widen_three_bytes(Isa isa, const std::uint8_t* from, std::int64_t n, std::uint32_t* to);

/// Copies bytes that are not read again soon past the caches, where the processor can.
void stream_copy(const void* from, std::int64_t bytes, void* to);

/// out[x] = bits[x] ? label[before[x / 64] + starts up to x within the word] : 0. T: u8, u16, u32, u64; Id: u32, u64.
/// @param label may be read 64 bytes past the last run
template <class T, class Id>
void paint_row(Isa isa, const PaintRow<Id>& row, const T* label, std::int64_t nx, T* out, Stores stores);

}  // namespace voxcc::block_runs
