// Filters of chunks that HDF5 and Zarr have in common.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// Undoes the filter shuffle, which stores the first bytes of all elements, then the second bytes, and so on. An incomplete last element is
/// stored unchanged. `raw` must have the size of `shuffled`.
// 2 bytes per element: a0 b0 a1 b1  ->  a0 a1 b0 b1
void unshuffle(std::span<const std::byte> shuffled, std::size_t element, std::span<std::byte> raw);

/// @return Fletcher's checksum over big-endian 16-bit words
std::uint32_t fletcher32(std::span<const std::byte> bytes);

}  // namespace voxcc::io
