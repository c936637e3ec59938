// Kernels with hand-written AVX2 and AVX-512 versions: pack a row of flags into bits, paint a row of bits with labels, copy labels.
#pragma once
#include "kernels3d/simd/isa.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::block_runs {

/// Rows of flags, `stride` bytes apart.
struct FlagRows {
    const std::uint8_t* first;
    std::int64_t stride, count;
};

/// Packs rows of flags into bits: bit x % 64 of word x / 64 of a row is set where flag x is not zero. Thread-safe.
/// one row, flags = [0 7 7 0 1], nx = 5  ->  bits = [0 1 1 0 1], that is bits[0] = 0b10110
/// @param nx number of flags per row
/// @param bits receives ceil(nx / 64) words per row; bits from nx on are zero
void pack_rows(Isa isa, const FlagRows& rows, std::int64_t nx, std::uint64_t* bits);

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

/// Writes the label of each voxel of rows: out[x] is label[before[x / 64] + number of starts in columns (x & ~63) .. x], or 0 where the
/// bit of column x is zero. Thread-safe for different `out`.
/// @tparam T uint8_t, uint16_t, uint32_t or uint64_t
/// @tparam Id uint32_t or uint64_t
/// @param label indexed by run; up to 64 bytes past the label of the last run must be readable
/// @param out receives nx labels per row
template <class T, class Id>
void paint_rows(Isa isa, std::span<const PaintRow<Id>> rows, const T* label, std::int64_t nx, T* out, Stores stores);

}  // namespace voxcc::block_runs
