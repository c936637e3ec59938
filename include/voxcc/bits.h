// Rows of bits: one bit per column, 64 columns per word. Bit x % 64 of word x / 64 stands for column x.
#pragma once
#include <voxcc/host_device.h>

namespace voxcc {

/// Number of 64-bit words that hold a row of bits.
/// @param columns at least 0; columns + 63 must fit the type
// 64  ->  1,  65  ->  2
template <class Int>
VOXCC_HD constexpr Int words_of(Int columns) {
    return (columns + 63) / 64;
}

}  // namespace voxcc
