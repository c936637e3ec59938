#include "io/formats/jpeg2000/packet_markers.h"

#include <algorithm>
#include <array>
#include <map>

namespace voxcc::io {
namespace {

constexpr std::size_t marker_bytes = 6;  // 0xff91, the length 4, and the number of the packet

/// Calls `visit` with the number of each marker in `range`. The first four bytes do not occur inside of packets.
template <class Visit>
void visit_markers(const InputFile& file, ByteRange range, const Visit& visit) {
    constexpr std::array<std::uint8_t, 4> start{0xff, 0x91, 0, 4};
    constexpr std::size_t per_read = 1 << 16;
    std::vector<std::uint8_t> bytes(per_read);
    for (std::int64_t at = range.begin; range.end - at >= std::int64_t(marker_bytes); at += per_read - marker_bytes + 1) {
        const auto most = std::size_t(std::min<std::int64_t>(per_read, range.end - at));
        file.read(at, std::as_writable_bytes(std::span(bytes).first(most)));
        const auto end = bytes.begin() + std::ptrdiff_t(most);
        for (auto found = bytes.begin();; ++found) {
            found = std::search(found, end, start.begin(), start.end());
            if (end - found < std::ptrdiff_t(marker_bytes)) break;
            visit(unsigned(found[4]) << 8 | found[5]);
        }
    }
}

}  // namespace

bool numbers_packets_without_gap(const InputFile& file, const Codestream& codestream) {
    constexpr unsigned numbers = 65536;
    std::map<std::uint16_t, unsigned> next;  // number of the next marker, per tile
    bool without_gap = true;
    for (const TilePart& part : codestream.tile_parts)
        visit_markers(file, part.bytes, [&](unsigned number) {
            unsigned& expected = next[part.tile];
            without_gap = without_gap && number == expected;
            expected = (expected + 1) % numbers;
        });
    return without_gap;
}

}  // namespace voxcc::io
