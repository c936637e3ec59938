// Kernels with hand-written AVX2 and AVX-512 versions: pack a row of flags into bits, paint a row of bits with labels, copy labels.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstddef>
#include <cstdint>

namespace voxcc::block_runs {

/// Packs a row of flags into bits: bit x % 64 of bits[x / 64] is set where flags[x] is not zero. Thread-safe.
/// flags = [0 7 7 0 1], nx = 5  ->  bits = [0 1 1 0 1], that is bits[0] = 0b10110
/// @param flags nx bytes
/// @param bits receives ceil(nx / 64) words; bits from nx on are zero
void pack_row(Isa isa, const std::uint8_t* flags, std::int64_t nx, std::uint64_t* bits);

/// A row to be painted, in words of 64 columns. The pointers must stay valid until the row is painted.
/// bits = [0 1 1 0 1], starts = [0 1 0 0 1], before[0] = 6  ->  painted as [0 label[7] label[7] 0 label[8]]
template <class Id>
struct PaintRow {
    const std::uint64_t* bits;    // foreground; bits past the end of the row must be zero
    const std::uint64_t* starts;  // columns in which a run starts
    const Id* before;             // per word: index in `label` of the last run that starts before the word
};

/// Converts n integers of three bytes, lowest byte first, to 32 bits: to[i] = the integer in from[3 * i .. 3 * i + 2].
void widen_three_bytes(Isa isa, const std::uint8_t* from, std::int64_t n, std::uint32_t* to);

/// Copies `bytes` bytes with stores that bypass the caches on x86; for data that is not read again soon. The ranges must not overlap.
void stream_copy(const void* from, std::int64_t bytes, void* to);

/// Writes the label of each voxel of a row: out[x] is label[before[x / 64] + number of starts in columns (x & ~63) .. x], or 0 where the
/// bit of column x is zero. Thread-safe for different `out`.
/// @tparam T uint8_t, uint16_t, uint32_t or uint64_t
/// @tparam Id uint32_t or uint64_t
/// @param label indexed by run; up to 64 bytes past the label of the last run must be readable
/// @param out receives nx labels
template <class T, class Id>
void paint_row(Isa isa, const PaintRow<Id>& row, const T* label, std::int64_t nx, T* out, Stores stores);

}  // namespace voxcc::block_runs
