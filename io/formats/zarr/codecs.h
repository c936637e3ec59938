// Decoding of the codecs of chunks, from bytes to bytes. The length of every result is known in advance, and any thread may decode.
#pragma once
#include "io/formats/zarr/array.h"

#include <span>

namespace voxcc::io::zarr {

/// An upper bound of the bytes that a compressor needs for `raw` bytes. Longer chunks are refused before they are read.
std::int64_t most_encoded(std::int64_t raw);

/// Undoes the codecs of a chunk.
/// @param stored the bytes of the chunk, changed by the call
/// @param spare a buffer that the call may use
/// @param raw receives exactly raw.size() bytes
/// @param name of the chunk, for errors
/// @throw Error corrupt_file if a checksum is wrong, if the bytes are not valid, or if they decode to more or fewer bytes
void decode(const std::vector<Codec>& codecs, std::vector<std::byte>& stored, std::vector<std::byte>& spare, std::span<std::byte> raw,
            const std::string& name);

/// Compares the last 4 bytes, a little-endian CRC-32C, with the bytes before them. @return whether they are equal
bool ends_with_checksum(std::span<const std::byte> bytes);

/// Continues a CRC-32C. @param crc of the bytes before; 0 at the start
std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace voxcc::io::zarr
