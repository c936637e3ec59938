#include "tests/fuzz/mutators/gzip_blocks.h"
#include "tests/fuzz/mutators/zlib_bytes.h"

#include <zlib.h>
#include <algorithm>

namespace voxcc::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t plain_header = 10, trailer = 8;
constexpr std::uint8_t with_extra_field = 4;

// @return the index of the first bit of each block, and of the first bit after the last complete block
std::vector<std::size_t> block_bounds(Input deflated) {
    static Bytes raw(most_unpacked);
    std::vector<std::size_t> bounds{0};
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return bounds;
    stream.next_in = const_cast<Bytef*>(deflated.data()), stream.avail_in = uInt(deflated.size());  // zlib does not write to its input
    stream.next_out = raw.data(), stream.avail_out = uInt(raw.size());
    for (int result = Z_OK; result == Z_OK;) {
        constexpr int after_block = 128, unused_bits = 7;
        result = inflate(&stream, Z_BLOCK);
        if (result < 0 || (stream.data_type & after_block) == 0) continue;
        const std::size_t bit = stream.total_in * 8 - std::size_t(stream.data_type & unused_bits);
        if (bit > bounds.back()) bounds.push_back(bit);
    }
    inflateEnd(&stream);
    return bounds;
}

struct BitWriter {
    Bytes bytes;
    std::size_t bits = 0;
    void put(unsigned bit) {
        if (bits % 8 == 0) bytes.push_back(0);
        bytes.back() = std::uint8_t(bytes.back() | bit << bits % 8);
        ++bits;
    }
};

unsigned bit_of(Input bytes, std::size_t bit) { return bytes[bit / 8] >> bit % 8 & 1u; }

// A stored block is aligned anew.
void append_block(BitWriter& to, Input from, std::size_t begin, std::size_t end, unsigned last) {
    to.put(last);
    const bool stored = bit_of(from, begin + 1) == 0 && bit_of(from, begin + 2) == 0;
    std::size_t bit = begin + 1;
    if (stored) {
        for (const int type_bit : {0, 0}) to.put(unsigned(type_bit));
        while (to.bits % 8 != 0) to.put(0);
        bit = (begin + 3 + 7) / 8 * 8;
    }
    for (; bit < end; ++bit) to.put(bit_of(from, bit));
}

void append_number(Bytes& to, std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) to.push_back(std::uint8_t(value >> 8 * i));
}

// Lists the blocks that begin at a byte boundary.
Bytes with_index(const Bytes& file, Choices& choices) {
    constexpr std::size_t most_points = 200;
    Bytes points;
    std::size_t last = 0;
    for (const std::size_t bit : block_bounds(Input(file).subspan(plain_header))) {
        if (bit % 8 != 0 || bit / 8 == last || points.size() >= 8 * most_points || choices.one_in(4)) continue;
        append_number(points, bit / 8 - last + (choices.one_in(50) ? 1 : 0), 4);
        append_number(points, 1 << 16, 4);
        last = bit / 8;
    }
    Bytes indexed(file.begin(), file.begin() + plain_header);
    indexed[3] = with_extra_field;
    append_number(indexed, 4 + 8 + points.size(), 2);
    for (const char c : {'V', 'X'}) indexed.push_back(std::uint8_t(c));
    append_number(indexed, 8 + points.size(), 2);
    append_number(indexed, points.size() / 8, 8);
    indexed.insert(indexed.end(), points.begin(), points.end());
    indexed.insert(indexed.end(), file.begin() + plain_header, file.end());
    return indexed;
}

}  // namespace

std::optional<std::size_t> gzip_header_bytes(Input file) {
    if (file.size() < plain_header + 2) return std::nullopt;
    const std::size_t extra = file[plain_header] | std::size_t{file[plain_header + 1]} << 8;
    const std::size_t size = file[3] == with_extra_field ? plain_header + 2 + extra : plain_header;
    if ((file[3] != 0 && file[3] != with_extra_field) || size + trailer > file.size()) return std::nullopt;
    return size;
}

std::vector<std::uint8_t> packed_in_blocks(Input raw, Choices& choices) {
    constexpr int smallest_blocks = 1;  // memLevel: 128 symbols per block
    z_stream stream{};
    const int strategy = choices.one_in(2) ? Z_DEFAULT_STRATEGY : int(choices.below(5));
    if (deflateInit2(&stream, int(choices.below(10)), Z_DEFLATED, 15 + 16, smallest_blocks, strategy) != Z_OK) return {};
    const std::vector<int> flushes{Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
    const int usual = choices.of(flushes);
    Bytes file(2 * raw.size() + 4096);
    stream.next_out = file.data(), stream.avail_out = uInt(file.size());
    for (std::size_t at = 0; at < raw.size();) {
        const std::size_t step = std::min(raw.size() - at, 1 + choices.below(std::max<std::size_t>(raw.size() / 4, 400)));
        stream.next_in = const_cast<Bytef*>(raw.data() + at), stream.avail_in = uInt(step);
        deflate(&stream, choices.one_in(4) ? choices.of(flushes) : usual);
        at += step;
    }
    const bool complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    file.resize(stream.total_out);
    deflateEnd(&stream);
    if (!complete) return {};
    return choices.one_in(2) ? with_index(file, choices) : file;
}

std::vector<std::uint8_t> with_moved_blocks(Input file, Choices& choices) {
    const auto header = gzip_header_bytes(file);
    if (!header) return {};
    const Input deflated = file.subspan(*header);
    const std::vector<std::size_t> bounds = block_bounds(deflated);
    const std::size_t blocks = bounds.size() - 1;
    if (blocks == 0) return {};
    std::vector<std::size_t> order;
    const std::size_t kept = choices.below(blocks) + 1;
    for (std::size_t block = 0; block < kept; ++block) order.push_back(block);
    for (std::size_t more = choices.below(blocks + 8); more > 0; --more) order.push_back(choices.below(blocks));
    BitWriter moved;
    for (std::size_t i = 0; i < order.size(); ++i)
        append_block(moved, deflated, bounds[order[i]], bounds[order[i] + 1], i + 1 == order.size() ? 1 : 0);
    Bytes result(file.begin(), file.begin() + std::ptrdiff_t(*header));
    result.insert(result.end(), moved.bytes.begin(), moved.bytes.end());
    result.resize(result.size() + trailer);
    return result;
}

}  // namespace voxcc::fuzz
