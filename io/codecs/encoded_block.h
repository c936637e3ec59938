// One block of labels as a file stores it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace voxcc::io {

/// The values that a viewer shows in black and in white.
struct DisplayRange {
    double min = 0, max = 0;
};

/// One block as stored in the file, made by LabelWriter::encode() (io.h).
struct EncodedBlock {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> piece_ends;  // end of each piece in `bytes` (HDF5 chunks, TIFF strips)
    std::uint32_t crc = 0;                // of the raw bytes (gzip; Adler-32 for zlib)
    std::int64_t raw_bytes = 0;
    DisplayRange display{};  // of the raw values and 0 (TIFF)
};

}  // namespace voxcc::io
