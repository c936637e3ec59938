// The header and the trailer of a gzip member (RFC 1952), and the index of restart points that voxcc stores in the header.
#pragma once
#include "io/codecs/inflate/parallel_inflate.h"

namespace voxcc::io {

inline constexpr std::int64_t gzip_trailer_bytes = 8;

struct GzipHeader {
    std::int64_t end = 0;                       // byte offset of the first block
    inflating::RestartPoints restart_points{};  // as stated in the file, not checked; empty: the file has no index
    enum class Block : std::uint8_t { stored, fixed, dynamic, invalid };
    Block first_block = Block::invalid;
    /// One thread copies stored blocks faster than several. Without an index, only the starts of dynamic blocks can be found.
    bool threads_pay() const { return first_block == Block::dynamic || (first_block == Block::fixed && !restart_points.empty()); }
};

/// Reads the header of the first member of a file. @return empty if the header is not valid, or has a checksum of its own
/// @throw Error io_error
std::optional<GzipHeader> read_gzip_header(const InputFile& file);

/// @return whether the trailer after the stream states its CRC and length. @throw Error io_error
bool ends_with(const InputFile& file, const inflating::StreamEnd& end);

/// The index of restart points in the extra field of a gzip header (RFC 1952, section 2.3.1.1). Layout, little-endian:
///   2 bytes "VX", 2 bytes length, 8 bytes number of points, then per point 8 bytes: distance from the last point (or from the first
///   block) in compressed bytes, low 4 bytes, and in decompressed bytes, high 4 bytes; then zeros
/// The size depends on the expected length of the content only. Points have the same or a larger distance in decompressed bytes.
class GzipIndex {
public:
    /// @param raw_bytes expected decompressed bytes of the member
    explicit GzipIndex(std::int64_t raw_bytes);
    /// Length of the extra field, with its own length; 0: the member has no index, because it has too few bytes
    std::size_t field_bytes() const { return room_ > 0 ? 2 + 4 + 8 + 8 * room_ : 0; }
    /// To be called at each place where a block begins that needs no window.
    /// @param compressed, raw bytes since the first block
    void add(std::int64_t compressed, std::int64_t raw);
    /// @return field_bytes() bytes
    std::vector<std::byte> field() const;

private:
    std::size_t room_ = 0;   // points
    std::int64_t step_ = 0;  // raw bytes
    std::int64_t last_compressed_ = 0, last_raw_ = 0;
    std::vector<std::uint64_t> points_;
};

}  // namespace voxcc::io
