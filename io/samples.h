// Conversion of stored samples to the types that VolumeReader returns.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// One sample per pixel of a row whose samples follow each other without gaps.
// RGB, green: {first = 1, step = 3}
struct SampleChoice {
    std::int64_t first = 0;  // 0-based
    std::int64_t step = 1;   // samples per pixel
    std::int64_t count = 0;  // pixels
};

constexpr int most_packed_bits = 16;

/// Unpacks unsigned numbers of 1 to most_packed_bits bits, the highest bit first.
/// @param to receives choice.count numbers: u8 for at most 8 bits, else u16 in host byte order; may be unaligned
/// @throw Error internal if the row is too short, or has samples of another size
// row = [0x12 0x34], bits = 4, {0, 1, 4}  ->  [1 2 3 4]; {1, 2, 2}  ->  [2 4]
void unpack_samples(std::span<const std::byte> row, int bits, const SampleChoice& choice, std::byte* to);

/// Copies samples of 1, 2, 4 or 8 bytes.
/// @param to receives choice.count samples; must not overlap the row
/// @throw Error internal if the row is too short, or has samples of another size
// row = [1 2 3 4 5 6], sample_bytes = 1, {1, 3, 2}  ->  [2 5]
void gather_samples(std::span<const std::byte> row, std::int64_t sample_bytes, const SampleChoice& choice, std::byte* to);

/// Converts IEEE half precision to single precision without loss.
/// @param to must hold as many floats; may be unaligned; may begin where `halves` begins, but must not overlap it otherwise
void halves_to_floats(std::span<const std::byte> halves, std::byte* to);

/// The same for `count` halves in place: `voxels` must have room for as many floats.
inline void halves_to_floats_in_place(std::byte* voxels, std::int64_t count) { halves_to_floats({voxels, std::size_t(2 * count)}, voxels); }

/// Reverses the bytes of every sample in place. @param bytes_per_sample 2, 4 or 8; other sizes are left unchanged
void swap_samples(std::span<std::byte> samples, std::int64_t bytes_per_sample);

}  // namespace voxcc::io
