// Inverse of the TIFF predictors, in place: differences become samples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// Undoes predictor 2: each sample of a row is stored as the difference to the sample before it. Integers wrap around.
/// @param rows complete rows of `row_bytes` bytes each, in host byte order
/// @param sample_bytes 1, 2, 4 or 8; other sizes are left unchanged
void undo_differences(std::span<std::byte> rows, std::int64_t row_bytes, std::int64_t sample_bytes);

/// Undoes predictor 3 (Adobe Technical Note 3): a row holds the highest bytes of all samples, then the next bytes, and so on. Each byte is
/// stored as the difference to the byte before it. The result is in host byte order.
/// @param rows complete rows of `row_bytes` bytes each, as stored; both byte orders of TIFF store the same bytes
void undo_byte_differences(std::span<std::byte> rows, std::int64_t row_bytes, std::int64_t sample_bytes);

}  // namespace voxcc::io
