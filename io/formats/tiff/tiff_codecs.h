// The compressions of TIFF that are read.
#pragma once
#include <cstdint>
#include <string>

namespace voxcc::io {

/// @return whether strips and tiles with this compression can be decoded, if libtiff has the codec
bool is_known_compression(int compression);

/// "none", "lzw", "deflate", "packbits", "zstd", "lzma", "ccitt-rle", "ccitt-g3", "ccitt-g4", "jpeg", "lerc"; a number for others
std::string compression_name(int compression);

bool is_deflate(int compression);

/// @return whether the codec must run in a child process (codec_process.h)
bool is_isolated(int compression);

/// @return upper bound of the decoded bytes per compressed byte; 1 for unknown compressions
std::int64_t most_expansion(int compression);

}  // namespace voxcc::io
