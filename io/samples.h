// Conversion of stored samples to the types that VolumeReader returns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// Converts bits to bytes 0 and 1. @param from to.size() bits, the highest bit of each byte first
void bits_to_bytes(const std::byte* from, std::span<std::uint8_t> to);

/// Converts IEEE half precision to single precision without loss.
/// @param to must hold as many floats; may be unaligned; may begin where `halves` begins, but must not overlap it otherwise
void halves_to_floats(std::span<const std::byte> halves, std::byte* to);

/// Reverses the bytes of every sample in place. @param bytes_per_sample 2, 4 or 8; other sizes are left unchanged
void swap_samples(std::span<std::byte> samples, std::int64_t bytes_per_sample);

}  // namespace voxcc::io
