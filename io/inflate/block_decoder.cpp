#include "io/inflate/block_decoder.h"
#include "io/deflate_symbols.h"

#include <algorithm>

namespace voxcc::io::inflating {
namespace {

constexpr std::array<std::uint8_t, 19> order_of_lengths{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static_assert(least_room >= 3 * 2 + longest_match);  // literals and a match per step

// May write up to 16 elements after `length`.
template <class Element>
void copy_match(Element* to, std::size_t distance, std::size_t length) {
    const Element* from = to - distance;
    constexpr std::size_t step = 16 / sizeof(Element);
    if (distance >= step) {
        for (std::size_t i = 0; i < length; i += step) std::memcpy(to + i, from + i, 16);
    } else if (distance == 1) {
        std::fill_n(to, length, *from);
    } else {
        for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
    }
}

}  // namespace

bool BlockDecoder::begin_block(BitReader& in) {
    in.refill();
    last_ = in.take(1) != 0;
    const std::uint32_t type = in.take(2);
    stored_ = type == 0;
    if (type == 0) return begin_stored(in);
    if (type == 1) begin_fixed();
    return type == 1 || (type == 2 && begin_dynamic(in));
}

bool BlockDecoder::begin_stored(BitReader& in) {
    const auto bytes = in.align();
    if (bytes.size() < 4) return false;
    stored_left_ = bytes[0] | std::size_t{bytes[1]} << 8;
    const std::size_t complement = bytes[2] | std::size_t{bytes[3]} << 8;
    in.skip_bytes(4);
    return (stored_left_ ^ 0xffff) == complement;
}

void BlockDecoder::begin_fixed() {
    std::array<std::uint8_t, 288> code{};
    for (std::size_t i = 0; i < code.size(); ++i) code[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    litlen_.build(code, Alphabet::literals_and_lengths);
    std::array<std::uint8_t, 32> distances;
    distances.fill(5);
    distance_.build(distances, Alphabet::distances);
}

bool BlockDecoder::begin_dynamic(BitReader& in) {
    const std::size_t litlens = 257 + in.take(5), distances = 1 + in.take(5), stated = 4 + in.take(4);
    if (litlens > litlen_symbols || distances > distance_symbols) return false;
    std::array<std::uint8_t, 19> lengths_of_code{};
    for (std::size_t i = 0; i < stated; ++i) {
        in.refill();
        lengths_of_code[order_of_lengths[i]] = std::uint8_t(in.take(3));
    }
    if (!distance_.build(lengths_of_code, Alphabet::code_lengths)) return false;
    std::array<std::uint8_t, litlen_symbols + distance_symbols> code{};
    for (std::size_t at = 0; at < litlens + distances;) {
        in.refill();
        const Symbol entry = distance_.decode(in.peek());
        in.skip(entry.bits);
        const std::size_t symbol = entry.base;
        std::size_t repeats = 1;
        std::uint8_t value = std::uint8_t(symbol);
        if (symbol >= 16) {
            if (symbol == 16 && at == 0) return false;
            value = symbol == 16 ? code[at - 1] : std::uint8_t{0};
            repeats = symbol == 16 ? 3 + in.take(2) : symbol == 17 ? 3 + in.take(3) : 11 + in.take(7);
        }
        if (entry.kind == Symbol::invalid || at + repeats > litlens + distances || in.overrun()) return false;
        std::fill_n(code.begin() + std::ptrdiff_t(at), repeats, value);
        at += repeats;
    }
    const auto all = std::span<const std::uint8_t>(code);
    return code[end_of_block] > 0 && litlen_.build(all.first(litlens), Alphabet::literals_and_lengths) &&
           distance_.build(all.subspan(litlens, distances), Alphabet::distances);
}

template <class Element>
BlockDecoder::Stop BlockDecoder::copy_stored(BitReader& in, Output<Element>& out, std::size_t reserve) {
    while (stored_left_ > 0) {
        const auto bytes = in.align();
        const std::size_t step = std::min({stored_left_, bytes.size(), out.limit - out.size});
        if (out.size == out.limit) return Stop::output_full;
        if (step == 0) return reserve > 0 ? Stop::input_low : Stop::error;
        std::copy_n(bytes.begin(), step, out.elements + out.size);
        in.skip_bytes(step);
        out.size += step;
        stored_left_ -= step;
    }
    return at_end();
}

template <class Element>
BlockDecoder::Stop BlockDecoder::decode(BitReader& in, Output<Element>& out, std::size_t reserve) {
    if (stored_) return copy_stored(in, out, reserve);
    BitReader bits = in;
    std::size_t size = out.size;
    const std::size_t limit = out.limit > least_room ? out.limit - least_room : 0;
    const auto stop = [&](Stop reason) {
        in = bits;
        out.size = size;
        return reason;
    };
    const auto put_literals = [&](Symbol entry) {
        bits.skip(entry.bits);
        out.elements[size] = Element(entry.base & 255);
        out.elements[size + 1] = Element(entry.base >> 8);  // overwritten later if there is one literal
        size += entry.extra_bits;
    };
    for (;;) {
        if (size >= limit) return stop(Stop::output_full);
        if (bits.fewer_left_than(reserve)) return stop(Stop::input_low);
        bits.refill();
        Symbol entry = litlen_.decode(bits.peek());
        // Three code words of 15 bits fit into one refill.
        for (int i = 0; i < 2 && entry.kind == Symbol::literal; ++i) {
            put_literals(entry);
            entry = litlen_.decode(bits.peek());
        }
        if (entry.kind == Symbol::literal) {
            put_literals(entry);
            if (bits.overrun()) return stop(Stop::error);
            continue;
        }
        bits.skip(entry.bits);
        if (bits.overrun() || entry.kind == Symbol::invalid) return stop(Stop::error);
        if (entry.kind == Symbol::end_of_block) return stop(at_end());
        bits.refill();
        const std::size_t length = entry.base + bits.take(entry.extra_bits);
        const Symbol far = distance_.decode(bits.peek());
        bits.skip(far.bits);
        const std::size_t distance = far.base + bits.take(far.extra_bits);
        if (far.kind == Symbol::invalid || distance > size || bits.overrun()) return stop(Stop::error);
        copy_match(out.elements + size, distance, length);
        size += length;
    }
}

template BlockDecoder::Stop BlockDecoder::decode(BitReader&, Output<std::uint8_t>&, std::size_t);
template BlockDecoder::Stop BlockDecoder::decode(BitReader&, Output<Mark>&, std::size_t);

}  // namespace voxcc::io::inflating
