#include "io/formats/zarr/codecs.h"

#include "io/chunk_filters.h"

#include <blosc.h>
#include <bzlib.h>
#include <isa-l/crc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <zstd.h>
#include <algorithm>
#include <cstring>
#include <memory>

namespace voxcc::io::zarr {
namespace {

using ByteSpan = std::span<const std::byte>;

std::uint32_t u32_at(ByteSpan bytes, std::size_t offset) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number |= std::uint32_t(bytes[offset + i]) << 8 * i;
    return number;
}

libdeflate_decompressor* inflater() {
    struct Free {
        void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
    };
    thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
    if (!decompressor) throw std::bad_alloc();
    return decompressor.get();
}

// One or more members. ByteSpan after the last member are an error.
bool unpack_gzip(ByteSpan packed, std::span<std::byte> raw) {
    do {
        std::size_t used = 0, got = 0;
        if (libdeflate_gzip_decompress_ex(inflater(), packed.data(), packed.size(), raw.data(), raw.size(), &used, &got) !=
            LIBDEFLATE_SUCCESS)
            return false;
        packed = packed.subspan(used);
        raw = raw.subspan(got);
    } while (!packed.empty());
    return raw.empty();
}

bool unpack_zlib(ByteSpan packed, std::span<std::byte> raw) {
    std::size_t used = 0;
    return libdeflate_zlib_decompress_ex(inflater(), packed.data(), packed.size(), raw.data(), raw.size(), &used, nullptr) ==
               LIBDEFLATE_SUCCESS &&
           used == packed.size();
}

// Reads several frames, with or without the size of their content. The result is the window, so that no other memory is needed.
bool unpack_zstd(ByteSpan packed, std::span<std::byte> raw) {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    if (!context) throw std::bad_alloc();
    return ZSTD_decompressDCtx(context.get(), raw.data(), raw.size(), packed.data(), packed.size()) == raw.size();
}

// One or more streams. ByteSpan after the last stream are an error.
bool unpack_bz2(ByteSpan packed, std::span<std::byte> raw) {
    bz_stream state{};
    state.next_in = const_cast<char*>(reinterpret_cast<const char*>(packed.data()));  // bzip2 does not write
    state.avail_in = unsigned(packed.size());
    state.next_out = reinterpret_cast<char*>(raw.data());
    state.avail_out = unsigned(raw.size());
    int result = BZ_STREAM_END;
    while (result == BZ_STREAM_END && state.avail_in > 0) {
        if (BZ2_bzDecompressInit(&state, 0, 0) != BZ_OK) throw std::bad_alloc();
        unsigned left = 0;
        do {
            left = state.avail_in + state.avail_out;
            result = BZ2_bzDecompress(&state);
        } while (result == BZ_OK && state.avail_in + state.avail_out < left);
        BZ2_bzDecompressEnd(&state);
    }
    return result == BZ_STREAM_END && state.avail_in == 0 && state.avail_out == 0;
}

// The format of numcodecs: 4 bytes with the length, and one block.
bool unpack_lz4(ByteSpan packed, std::span<std::byte> raw) {
    constexpr std::size_t prefix = 4;
    if (packed.size() < prefix || packed.size() > std::size_t(LZ4_MAX_INPUT_SIZE) || u32_at(packed, 0) != raw.size()) return false;
    return LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data() + prefix), reinterpret_cast<char*>(raw.data()),
                               int(packed.size() - prefix), int(raw.size())) == int(raw.size());
}

// The header of a blosc buffer: version, version of the compressor, flags, bytes per element, then the lengths of the content, of a block
// and of the buffer; then the offset of each block.
struct BloscHeader {
    enum Flag : unsigned { shuffled = 1, copied = 2, bit_shuffled = 4 };
    unsigned version, compressor_version, flags, element;
    std::size_t raw, block, packed;
    static constexpr std::size_t bytes = 16;

    explicit BloscHeader(ByteSpan buffer)
        : version(unsigned(buffer[0])),
          compressor_version(unsigned(buffer[1])),
          flags(unsigned(buffer[2])),
          element(unsigned(buffer[3])),
          raw(u32_at(buffer, 4)),
          block(u32_at(buffer, 8)),
          packed(u32_at(buffer, 12)) {}
};

// c-blosc takes sizes from the buffer, so they are compared with the true sizes first. It checks all offsets inside blocks (since 1.21).
bool has_valid_header(ByteSpan buffer, std::size_t raw_bytes) {
    if (buffer.size() < BloscHeader::bytes) return false;
    const BloscHeader header(buffer);
    if (header.version != BLOSC_VERSION_FORMAT || header.element == 0 || header.raw != raw_bytes || header.packed != buffer.size())
        return false;
    if (header.block == 0 || header.block > std::max<std::size_t>(raw_bytes, 1) || header.block > BLOSC_MAX_BLOCKSIZE) return false;
    if (header.flags & BloscHeader::copied) return buffer.size() == BloscHeader::bytes + raw_bytes;
    const std::size_t blocks = (raw_bytes + header.block - 1) / header.block, offsets_end = BloscHeader::bytes + 4 * blocks;
    if (offsets_end > buffer.size()) return false;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t at = u32_at(buffer, BloscHeader::bytes + 4 * i);
        if (at < offsets_end || at >= buffer.size()) return false;
    }
    std::size_t checked = 0;
    return blosc_cbuffer_validate(buffer.data(), buffer.size(), &checked) == 0 && checked == raw_bytes;
}

// In c-blosc up to 1.21.6, a match length of blosclz overflows after 8,421,505 bytes of 0xff (Blosc/c-blosc issue 405).
bool is_unsafe_blosclz(ByteSpan packed) {
    constexpr std::size_t most_blosclz = std::size_t{1} << 23;
    return packed.size() > most_blosclz && BloscHeader(packed).flags >> 5 == BLOSC_BLOSCLZ_FORMAT;
}

bool unpack_blosc(ByteSpan packed, std::span<std::byte> raw) {
    return raw.size() <= std::size_t(BLOSC_MAX_BUFFERSIZE) && has_valid_header(packed, raw.size()) &&
           blosc_decompress_ctx(packed.data(), raw.data(), raw.size(), 1) == int(raw.size());
}

bool unpack(CodecKind kind, ByteSpan packed, std::span<std::byte> raw) {
    switch (kind) {
        case CodecKind::blosc: return unpack_blosc(packed, raw);
        case CodecKind::zstd: return unpack_zstd(packed, raw);
        case CodecKind::gzip: return unpack_gzip(packed, raw);
        case CodecKind::zlib: return unpack_zlib(packed, raw);
        case CodecKind::lz4: return unpack_lz4(packed, raw);
        case CodecKind::bz2: return unpack_bz2(packed, raw);
        default: throw Error(ErrorKind::internal, "codec", "is not a compressor");
    }
}

std::uint32_t checksum(CodecKind kind, ByteSpan bytes) {
    switch (kind) {
        case CodecKind::crc32c: return crc32c(0, bytes);
        case CodecKind::crc32: return libdeflate_crc32(0, bytes.data(), bytes.size());
        case CodecKind::adler32: return libdeflate_adler32(1, bytes.data(), bytes.size());
        case CodecKind::fletcher32: return fletcher32(bytes);
        default: throw Error(ErrorKind::internal, "codec", "is not a checksum");
    }
}

/// @return whether the checksum, 4 little-endian bytes, is right
bool remove_checksum(const Codec& codec, std::vector<std::byte>& bytes) {
    constexpr std::size_t length = 4;
    if (bytes.size() < length) return false;
    const std::size_t end = bytes.size() - length, at = codec.at == Codec::At::start ? 0 : end;
    const std::uint32_t stored = u32_at(bytes, at);
    bytes.erase(bytes.begin() + std::ptrdiff_t(at), bytes.begin() + std::ptrdiff_t(at + length));
    return stored == checksum(codec.kind, bytes);
}

/// Undoes delta: each element is the sum of all stored elements up to it, modulo 2^bits. An incomplete last element stays unchanged.
template <class T>
void add_up(std::span<std::byte> bytes, std::endian byte_order) {
    T sum = 0;
    for (; bytes.size() >= sizeof(T); bytes = bytes.subspan(sizeof(T))) {
        if (byte_order != std::endian::native) std::ranges::reverse(bytes.first(sizeof(T)));
        T difference = 0;
        std::memcpy(&difference, bytes.data(), sizeof(T));
        sum = T(sum + difference);
        std::memcpy(bytes.data(), &sum, sizeof(T));
        if (byte_order != std::endian::native) std::ranges::reverse(bytes.first(sizeof(T)));
    }
}

void add_up(const Codec& delta, std::span<std::byte> bytes) {
    switch (delta.element) {
        case 1: return add_up<std::uint8_t>(bytes, delta.byte_order);
        case 2: return add_up<std::uint16_t>(bytes, delta.byte_order);
        case 4: return add_up<std::uint32_t>(bytes, delta.byte_order);
        default: return add_up<std::uint64_t>(bytes, delta.byte_order);
    }
}

}  // namespace

std::int64_t most_encoded(std::int64_t raw) { return raw + raw / 8 + (std::int64_t{1} << 16); }

std::uint32_t crc32c(std::uint32_t crc, ByteSpan bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < bytes.size(); at += most) {
        auto* const part = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data() + at));  // isa-l does not write
        crc = ~crc32_iscsi(part, int(std::min(most, bytes.size() - at)), ~crc);
    }
    return crc;
}

bool ends_with_checksum(ByteSpan bytes) {
    return bytes.size() >= 4 && u32_at(bytes, bytes.size() - 4) == crc32c(0, bytes.first(bytes.size() - 4));
}

void decode(const std::vector<Codec>& codecs, std::vector<std::byte>& stored, std::vector<std::byte>& spare, std::span<std::byte> raw,
            const std::string& name) {
    for (std::size_t k = codecs.size(); k-- > 0;) {
        const Codec& codec = codecs[k];
        if (is_checksum(codec.kind)) {
            if (!remove_checksum(codec, stored)) throw Error(ErrorKind::corrupt_file, name, "has a wrong checksum (" + codec.name + ")");
            continue;
        }
        if (codec.kind == CodecKind::delta) {
            add_up(codec, stored);
            continue;
        }
        std::size_t size = raw.size();
        for (std::size_t j = 0; j < k; ++j) size += is_checksum(codecs[j].kind) ? 4 : 0;
        if (codec.kind == CodecKind::shuffle) size = stored.size();
        if (codec.kind == CodecKind::blosc && is_unsafe_blosclz(stored))
            throw Error(ErrorKind::unsupported_file, name,
                        "has more than 8 MiB of blosclz data; use smaller chunks, or blosc with lz4 or zstd");
        const bool is_last = k == 0 && size == raw.size();  // writes into `raw` directly
        if (!is_last) spare.resize(size);
        const std::span<std::byte> to = is_last ? raw : std::span(spare);
        if (codec.kind == CodecKind::shuffle) unshuffle(stored, std::size_t(codec.element), to);
        else if (!unpack(codec.kind, stored, to))
            throw Error(ErrorKind::corrupt_file, name, "does not hold " + std::to_string(size) + " bytes of " + codec.name + " data");
        if (is_last) return;
        stored.swap(spare);
    }
    if (stored.size() != raw.size())
        throw Error(ErrorKind::wrong_size, name, "expected " + std::to_string(raw.size()) + " bytes, got " + std::to_string(stored.size()));
    std::memcpy(raw.data(), stored.data(), raw.size());
}

}  // namespace voxcc::io::zarr
