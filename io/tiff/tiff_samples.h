// Samples as a TIFF stores them, made what VolumeReader hands over.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// Bits, highest first in a byte, to bytes 0 and 1: to.size() of them.
void bits_to_bytes(const std::byte* from, std::span<std::uint8_t> to);

/// IEEE half precision to single, exactly.
/// @param to as many floats, at any alignment; may begin where `halves` begins, but must not overlap it otherwise
void halves_to_floats(std::span<const std::byte> halves, std::byte* to);

/// Reverses the bytes of every sample in place.
void swap_samples(std::span<std::byte> samples, std::int64_t bytes_per_sample);

}  // namespace voxcc::io
