#include "io/formats/tiff/tiff_codecs.h"

#include <tiff.h>
#include <algorithm>
#include <array>

namespace voxcc::io {
namespace {

enum class Runs { here, isolated };

struct Codec {
    int compression;
    const char* name;
    std::int64_t expansion;
    Runs runs = Runs::here;
};

// A blank row of any width has one bit in CCITT 2D, and a constant strip of any size has about 70 bytes in LERC.
constexpr std::int64_t unbounded = 1 << 20;

constexpr std::array codecs = std::to_array<Codec>({
    {COMPRESSION_NONE, "none", 1},
    {COMPRESSION_PACKBITS, "packbits", 64},        // 128 bytes from 2 bytes
    {COMPRESSION_LZW, "lzw", 2731},                // 4096 bytes from a code of 12 bits
    {COMPRESSION_ADOBE_DEFLATE, "deflate", 1032},  // 258 bytes from 2 bits
    {COMPRESSION_DEFLATE, "deflate", 1032},
    {COMPRESSION_ZSTD, "zstd", 32768},                          // a block of 128 KiB from 4 bytes
    {COMPRESSION_LZMA, "lzma", 8192},                           // 273 bytes from 14 decisions of 0.022 bits
    {COMPRESSION_CCITTRLE, "ccitt-rle", 256, Runs::isolated},   // 2560 pixels from 12 bits
    {COMPRESSION_CCITTRLEW, "ccitt-rle", 256, Runs::isolated},  // the same, with rows that start at even bytes
    {COMPRESSION_CCITTFAX3, "ccitt-g3", unbounded, Runs::isolated},
    {COMPRESSION_CCITTFAX4, "ccitt-g4", unbounded, Runs::isolated},
    {COMPRESSION_JPEG, "jpeg", 1024, Runs::isolated},  // a block of 64 samples from 1 bit, in progressive files
    {COMPRESSION_LERC, "lerc", unbounded, Runs::isolated},
});

const Codec* codec_of(int compression) {
    const auto found = std::find_if(codecs.begin(), codecs.end(), [&](const Codec& c) { return c.compression == compression; });
    return found == codecs.end() ? nullptr : &*found;
}

}  // namespace

bool is_known_compression(int compression) { return codec_of(compression) != nullptr; }

std::string compression_name(int compression) {
    const Codec* codec = codec_of(compression);
    return codec ? codec->name : "compression " + std::to_string(compression);
}

bool is_deflate(int compression) { return compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE; }

bool is_isolated(int compression) {
    const Codec* codec = codec_of(compression);
    return codec && codec->runs == Runs::isolated;
}

std::int64_t most_expansion(int compression) {
    const Codec* codec = codec_of(compression);
    return codec ? codec->expansion : 1;
}

}  // namespace voxcc::io
