// Reading of stored pixels: native pixel data, and fragments.
#include "io/formats/dicom/dicom_pixels.h"
#include "io/samples.h"

#include <algorithm>

namespace voxcc::io {
namespace {

// Reads bytes of the pixel data. Words of 16 bits in big-endian order hold bytes in reverse order (PS3.5, annex D).
// @param offset in the pixel data, as if they were little-endian
void read_bytes(const DicomBytes& bytes, const DicomObject& object, std::int64_t offset, std::span<std::byte> to) {
    const bool are_words = object.pixels.type == DicomType{'O', 'W'} && object.encoding.order == std::endian::big;
    if (!are_words || object.samples.bytes() > 1) return bytes.read(object.pixels.offset + offset, to);
    const std::int64_t begin = offset / 2 * 2, end = (offset + std::int64_t(to.size()) + 1) / 2 * 2;
    std::vector<std::byte> words(std::size_t(end - begin));
    bytes.read(object.pixels.offset + begin, std::span(words).first(std::size_t(std::min(end, object.pixels.length) - begin)));
    swap_samples(words, 2);
    std::copy_n(words.begin() + (offset - begin), to.size(), to.begin());
}

struct Segment {
    std::size_t begin = 0, end = 0;
};

// @return the segments of a frame, in the order of the file
std::vector<Segment> segments_of(std::span<const std::byte> encoded, const std::string& path) {
    constexpr std::size_t header = 64, most = 15;
    const auto fail = [&] { return Error(ErrorKind::corrupt_file, path, "the header of a frame of RLE is wrong"); };
    if (encoded.size() < header) throw fail();
    const auto number = [&](std::size_t index) {
        std::uint32_t value = 0;
        for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(encoded[4 * index + i]);
        return std::size_t(value);
    };
    const std::size_t count = number(0);
    if (count > most) throw fail();
    std::vector<Segment> segments(count);
    for (std::size_t i = 0; i < count; ++i) {
        segments[i] = {number(i + 1), i + 1 < count ? number(i + 2) : encoded.size()};
        if (segments[i].begin < header || segments[i].begin > segments[i].end || segments[i].end > encoded.size()) throw fail();
    }
    return segments;
}

// Decodes a segment: a count n of 0 to 127 copies n + 1 bytes, -1 to -127 repeats a byte 1 - n times, -128 does nothing.
// @return the number of bytes of `from` that are not needed
std::size_t decode_segment(std::span<const std::byte> from, std::span<std::byte> to, const std::string& path) {
    std::size_t at = 0, done = 0;
    while (done < to.size()) {
        if (at == from.size()) throw Error(ErrorKind::corrupt_file, path, "a frame of RLE is too short");
        const int count = static_cast<signed char>(std::to_integer<unsigned char>(from[at++]));
        if (count == -128) continue;
        const std::size_t length = std::min(std::size_t(count < 0 ? 1 - count : 1 + count), to.size() - done);
        const std::size_t stored = count < 0 ? 1 : length;
        if (from.size() - at < stored) throw Error(ErrorKind::corrupt_file, path, "a frame of RLE is too short");
        if (count < 0) std::fill_n(to.begin() + std::ptrdiff_t(done), length, from[at]);
        else std::copy_n(from.begin() + std::ptrdiff_t(at), length, to.begin() + std::ptrdiff_t(done));
        at += stored;
        done += length;
    }
    return from.size() - at;
}

// Some programs pack single bits before they compress them, others store one byte per bit. The length of the segment tells which.
void decode_bits(std::span<const std::byte> segment, std::span<std::byte> to, const std::string& path) {
    constexpr std::size_t padding = 1;
    std::vector<std::byte> packed((to.size() + 7) / 8);
    if (decode_segment(segment, packed, path) > padding) decode_segment(segment, to, path);
    else unpack_bits(packed, 0, to);
}

}  // namespace

void read_native(const DicomBytes& bytes, const DicomObject& object, std::int64_t frame, RowRange rows, std::span<std::byte> to) {
    const std::int64_t first = (frame * object.rows + rows.first) * object.columns, count = rows.count * object.columns;
    if (object.samples.allocated == 1) {
        const std::int64_t begin = first / 8, end = (first + count + 7) / 8;
        std::vector<std::byte> bits(std::size_t(end - begin));
        read_bytes(bytes, object, begin, bits);
        return unpack_bits(bits, first - 8 * begin, to);
    }
    read_bytes(bytes, object, first * object.samples.bytes(), to);
    if (object.encoding.order != std::endian::native) swap_samples(to, object.samples.bytes());
}

std::vector<std::byte> encoded_frame(const DicomBytes& bytes, const DicomObject& object, std::int64_t frame) {
    const auto &first = object.first_fragments[std::size_t(frame)], &end = object.first_fragments[std::size_t(frame) + 1];
    std::size_t size = 0;
    for (std::int64_t i = first; i < end; ++i) size += object.pixels.fragments[std::size_t(i)].length;
    std::vector<std::byte> encoded(size);
    std::size_t at = 0;
    for (std::int64_t i = first; i < end; ++i) {
        const DicomFragment& fragment = object.pixels.fragments[std::size_t(i)];
        bytes.read(fragment.offset, std::span(encoded).subspan(at, fragment.length));
        at += fragment.length;
    }
    return encoded;
}

void decode_rle(std::span<const std::byte> encoded, const DicomObject& object, std::span<std::byte> to) {
    const std::vector<Segment> segments = segments_of(encoded, object.path);
    const std::size_t planes = std::size_t(object.samples.bytes()), pixels = to.size() / planes;
    if (segments.size() != planes)
        throw Error(ErrorKind::corrupt_file, object.path,
                    "a frame of RLE has " + std::to_string(segments.size()) + " segments, not " + std::to_string(planes));
    std::vector<std::byte> plane(pixels);
    for (std::size_t p = 0; p < planes; ++p) {  // the first segment holds the highest bytes
        const std::span<const std::byte> segment = encoded.subspan(segments[p].begin, segments[p].end - segments[p].begin);
        if (object.samples.allocated == 1) return decode_bits(segment, to, object.path);
        decode_segment(segment, plane, object.path);
        const std::size_t byte = std::endian::native == std::endian::little ? planes - 1 - p : p;
        for (std::size_t i = 0; i < pixels; ++i) to[i * planes + byte] = plane[i];
    }
}

}  // namespace voxcc::io
