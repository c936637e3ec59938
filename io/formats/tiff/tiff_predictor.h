// Inverse of the TIFF predictors, in place: differences become samples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io {

/// The layout of rows with differences.
struct PredictedRows {
    std::int64_t row_bytes = 0;
    std::int64_t sample_bytes = 1;
    std::int64_t interleaved = 1;  // samples per pixel; differences are between samples of the same kind
};

/// Undoes predictor 2: each sample of a row is stored as the difference to the sample of the pixel before it. Integers wrap around.
/// @param rows complete rows, in host byte order. Samples of 1, 2, 4 or 8 bytes; other sizes are left unchanged
void undo_differences(std::span<std::byte> rows, const PredictedRows& layout);

/// Undoes predictor 3 (Adobe Technical Note 3): a row holds the highest bytes of all samples, then the next bytes, and so on. Each byte is
/// stored as the difference to the byte of the pixel before it. The result is in host byte order.
/// @param rows complete rows, as stored; both byte orders of TIFF store the same bytes
void undo_byte_differences(std::span<std::byte> rows, const PredictedRows& layout);

}  // namespace voxcc::io
