#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/gzip_blocks.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/zlib_bytes.h"

#include <zlib.h>

namespace voxcc::fuzz {
namespace {

constexpr std::size_t trailer = 8;

// Writes the CRC and the length after the deflate stream, if the stream has an end.
void correct_trailer(FileBytes& file) {
    const auto header = gzip_header_bytes(file.bytes);
    if (!header) return;
    static std::vector<std::uint8_t> raw(most_unpacked);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return;
    stream.next_in = file.bytes.data() + *header, stream.avail_in = uInt(file.size() - *header);
    stream.next_out = raw.data(), stream.avail_out = uInt(raw.size());
    const bool ended = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    const std::size_t used = stream.total_in, size = stream.total_out;
    inflateEnd(&stream);
    if (!ended) return;
    file.bytes.resize(*header + used + trailer);
    file.put(*header + used, 4, crc32(0, raw.data(), uInt(size)));
    file.put(*header + used + 4, 4, size);
}

// @return a valid member in most cases; empty if `input` cannot be decompressed
std::vector<std::uint8_t> with_other_blocks(Input input, Choices& choices) {
    if (choices.one_in(2)) {
        const auto raw = unpacked(input, Wrapper::gzip);
        return raw.empty() ? raw : packed_in_blocks(raw, choices);
    }
    FileBytes moved(input.data(), 0);
    moved.bytes = with_moved_blocks(input, choices);
    correct_trailer(moved);
    return moved.bytes;
}

}  // namespace

std::size_t mutate_gzip(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    const Input input(data, size);
    std::vector<std::uint8_t> changed;
    switch (choices.below(4)) {
        case 0:
        case 1: changed = with_changed_content(input, Wrapper::gzip, int(choices.below(10)), unsigned(choices.below(1u << 31))); break;
        case 2: changed = with_other_blocks(input, choices); break;
        default: break;
    }
    if (!changed.empty() && changed.size() <= most) return FileBytes(changed.data(), changed.size()).store(data, most);
    FileBytes file(data, mutate_bytes(data, size, most));
    if (choices.one_in(2)) correct_trailer(file);
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
