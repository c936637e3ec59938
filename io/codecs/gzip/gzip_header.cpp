#include "io/codecs/gzip/gzip_header.h"

#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::size_t fixed_bytes = 10, most_header_bytes = fixed_bytes + 2 + 65535 + 2048;
constexpr std::size_t subfield_bytes = 4, count_bytes = 8, point_bytes = 8;
// A part is inflated by one thread. 4 MiB take about 2 ms, which is long beside the start of a part.
constexpr std::int64_t raw_bytes_per_point = std::int64_t{4} << 20;
constexpr std::size_t most_points = (65535 - subfield_bytes - count_bytes) / point_bytes;
enum Flag : std::uint8_t { header_crc = 2, extra = 4, name = 8, comment = 16, reserved = 224 };

std::uint64_t little_endian(std::span<const std::uint8_t> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
    return value;
}

void append(std::vector<std::byte>& to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) to.push_back(std::byte(value >> 8 * i & 255));
}

// @param content of the subfield. @return byte offsets in the file
inflating::RestartPoints restart_points(std::span<const std::uint8_t> content, std::int64_t first_block) {
    inflating::RestartPoints points;
    if (content.size() < count_bytes) return points;
    const std::uint64_t stated = little_endian(content.first(count_bytes));
    content = content.subspan(count_bytes);
    std::int64_t at = first_block;
    for (std::uint64_t i = 0; i < stated && content.size() >= point_bytes; ++i, content = content.subspan(point_bytes)) {
        const auto distance = std::int64_t(little_endian(content.first(4)));
        if (distance == 0) break;
        points.push_back(at += distance);
    }
    return points;
}

std::span<const std::uint8_t> find_subfield(std::span<const std::uint8_t> field) {
    while (field.size() >= subfield_bytes) {
        const std::size_t length = little_endian(field.subspan(2, 2));
        if (length > field.size() - subfield_bytes) return {};
        if (field[0] == 'V' && field[1] == 'X') return field.subspan(subfield_bytes, length);
        field = field.subspan(subfield_bytes + length);
    }
    return {};
}

}  // namespace

std::optional<GzipHeader> read_gzip_header(const InputFile& file) {
    std::vector<std::uint8_t> bytes(most_header_bytes);
    bytes.resize(file.read_some(0, std::as_writable_bytes(std::span(bytes))));
    if (bytes.size() < fixed_bytes || bytes[0] != 0x1f || bytes[1] != 0x8b || bytes[2] != 8) return std::nullopt;
    const unsigned flags = bytes[3];
    if ((flags & (reserved | header_crc)) != 0) return std::nullopt;
    const std::span<const std::uint8_t> all(bytes);
    std::size_t at = fixed_bytes;
    std::span<const std::uint8_t> index;
    if ((flags & extra) != 0) {
        if (at + 2 > all.size()) return std::nullopt;
        const std::size_t length = little_endian(all.subspan(at, 2));
        if (at + 2 + length > all.size()) return std::nullopt;
        index = find_subfield(all.subspan(at + 2, length));
        at += 2 + length;
    }
    for (const unsigned text : {name, comment}) {
        if ((flags & text) == 0) continue;
        const auto end = std::find(bytes.begin() + std::ptrdiff_t(at), bytes.end(), std::uint8_t{0});
        if (end == bytes.end()) return std::nullopt;
        at = std::size_t(end - bytes.begin()) + 1;
    }
    const unsigned block_type = at < bytes.size() ? bytes[at] >> 1 & 3u : 3u;
    return GzipHeader{std::int64_t(at), restart_points(index, std::int64_t(at)), GzipHeader::Block(block_type)};
}

bool ends_with(const InputFile& file, const inflating::StreamEnd& end) {
    std::array<std::uint8_t, std::size_t(gzip_trailer_bytes)> trailer;
    if (file.read_some(end.byte, std::as_writable_bytes(std::span(trailer))) < trailer.size()) return false;
    const std::span<const std::uint8_t> stored(trailer);
    return little_endian(stored.first(4)) == end.content.crc &&
           little_endian(stored.last(4)) == (std::uint64_t(end.content.raw_bytes) & 0xffffffff);
}

GzipIndex::GzipIndex(std::int64_t raw_bytes) {
    if (raw_bytes < 2 * raw_bytes_per_point) return;
    const auto fits = std::int64_t(most_points);
    step_ = std::max(raw_bytes_per_point, (raw_bytes + fits - 1) / fits);
    room_ = std::size_t(raw_bytes / step_);
}

void GzipIndex::add(std::int64_t compressed, std::int64_t raw) {
    const std::int64_t distance = compressed - last_compressed_, raw_distance = raw - last_raw_;
    if (raw_distance < step_ || points_.size() >= room_) return;
    if (distance >> 32 != 0 || raw_distance >> 32 != 0) return;
    points_.push_back(std::uint64_t(distance) | std::uint64_t(raw_distance) << 32);
    last_compressed_ = compressed;
    last_raw_ = raw;
}

std::vector<std::byte> GzipIndex::field() const {
    std::vector<std::byte> bytes;
    if (field_bytes() == 0) return bytes;
    append(bytes, field_bytes() - 2, 2);
    for (const char c : {'V', 'X'}) bytes.push_back(std::byte(c));
    append(bytes, count_bytes + point_bytes * room_, 2);
    append(bytes, points_.size(), 8);
    for (const std::uint64_t point : points_) append(bytes, point, 8);
    bytes.resize(field_bytes());
    return bytes;
}

}  // namespace voxcc::io
