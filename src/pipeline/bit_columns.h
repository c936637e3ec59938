// Rows of bits that several threads fill at the same time.
#pragma once
#include <voxcc/source.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace voxcc {

/// Sets the bits of columns [x, x + count) of a row of nx columns. Several threads may set different columns of a row at the same time.
/// @param row its bits of these columns must be 0; see voxcc/source.h
/// @param pack called once with words_of(count) words, to which it must write the bits of the columns, and 0 after them
// nx = 100, x = 60, count = 10, pack writes 0b11  ->  bits 60 and 61 of the row are 1
template <class Pack>
void set_columns(std::uint64_t* row, std::int64_t nx, std::int64_t x, std::int64_t count, Pack&& pack) {
    const std::int64_t shift = x % 64, end = x + count;
    std::uint64_t* const to = row + x / 64;
    // No other columns have bits in the words of these columns.
    if (shift == 0 && (end % 64 == 0 || end == nx)) return pack(to);
    thread_local std::vector<std::uint64_t> packed;
    packed.resize(std::size_t(words_of(count)));
    pack(packed.data());
    const auto add = [to](std::size_t word, std::uint64_t bits) {
        if (bits != 0) std::atomic_ref<std::uint64_t>(to[word]).fetch_or(bits, std::memory_order_relaxed);
    };
    for (std::size_t w = 0; w < packed.size(); ++w) {
        add(w, packed[w] << shift);
        if (shift > 0) add(w + 1, packed[w] >> (64 - shift));
    }
}

}  // namespace voxcc
