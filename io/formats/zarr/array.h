// The metadata of an array, of Zarr v2 (.zarray) and v3 (zarr.json), in one form.
// https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html, https://zarr-specs.readthedocs.io/en/latest/v3/core/
#pragma once
#include "io/array_types.h"
#include "io/formats/zarr/json_value.h"

#include <bit>

namespace voxcc::io::zarr {

enum class CodecKind : std::uint8_t { blosc, zstd, gzip, zlib, lz4, bz2, shuffle, delta, crc32c, crc32, adler32, fletcher32 };

/// Whether the codec adds 4 bytes, and changes nothing else.
constexpr bool is_checksum(CodecKind kind) { return kind >= CodecKind::crc32c; }
constexpr bool is_compressor(CodecKind kind) { return kind <= CodecKind::bz2; }

struct Codec {
    CodecKind kind = CodecKind::zstd;
    std::string name;                                          // for info: "zstd", "blosc lz4"
    std::int64_t element = 1;                                  // bytes, of shuffle and delta
    std::endian byte_order = std::endian::little;              // of the elements of delta
    enum class At : std::uint8_t { start, end } at = At::end;  // the position of a checksum
    bool operator==(const Codec&) const = default;
};

/// How the keys of chunks are made from their indices. A key without any index is "c" (v3) or "0".
// {Prefix::c, '/'}: "c/1/2/3"; {Prefix::none, '.'}: "1.2.3"
struct KeyStyle {
    enum class Prefix : std::uint8_t { none, c } prefix = Prefix::none;
    char separator = '.';
    bool operator==(const KeyStyle&) const = default;
};

/// Chunks that are stored together in one file, a shard. The index of a shard states the position of each chunk.
struct Sharding {
    std::vector<std::int64_t> shard;  // extent along each axis of the array, a multiple of the chunk
    std::vector<std::size_t> order;   // axis i of the index, slowest first, is axis order[i] of the array
    enum class IndexAt : std::uint8_t { start, end } index_at = IndexAt::end;
    std::endian index_byte_order = std::endian::little;
    enum class Checksum : std::uint8_t { none, crc32c } of_index = Checksum::none, of_shard = Checksum::none;
    bool operator==(const Sharding&) const = default;
};

/// All vectors have one element per axis, slowest axis first, unless stated otherwise.
// shape {20, 30, 40}, Fortran order  ->  order {2, 1, 0}
struct ArrayMetadata {
    int format = 2;  // of Zarr: 2 or 3
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> chunk;  // extent of the smallest unit that is compressed: of the chunks inside a shard, if there are shards
    std::vector<std::size_t> order;   // axis i inside a chunk is axis order[i] of the array
    ArrayType type{array_types[0]};
    std::endian byte_order = std::endian::little;
    std::vector<std::byte> fill;  // one voxel in host byte order
    std::vector<Codec> codecs;    // from bytes to bytes, in the order of writing; at most one is a compressor
    KeyStyle keys;
    std::optional<Sharding> sharding;
    std::vector<std::string> axis_names;  // "" if the file has no name for an axis
    std::vector<std::string> warnings;
    nlohmann::json attributes;

    /// Bytes of a chunk without compression, as stored.
    std::int64_t chunk_bytes() const;
    /// The extents of the units that are stored as one key: shards or chunks.
    const std::vector<std::int64_t>& stored_unit() const { return sharding ? sharding->shard : chunk; }
    std::int64_t stored_units() const;
    /// "blosc lz4"; "none"
    std::string compression() const;
};

/// @param metadata the object in .zarray; @param attributes the object in .zattrs, or an empty object
/// @throw Error invalid_file, unsupported_file, several_values
ArrayMetadata parse_array_v2(const JsonValue& metadata, const nlohmann::json& attributes);

/// @param metadata the object in zarr.json @throw Error as parse_array_v2()
ArrayMetadata parse_array_v3(const JsonValue& metadata);

/// Refuses members of an object of Zarr v3 that a reader must understand. @throw Error unsupported_file
void refuse_unknown_members(const JsonValue& metadata, std::initializer_list<std::string_view> known);

}  // namespace voxcc::io::zarr
