#include "io/codecs/inflate/block_decoder.h"
#include "io/codecs/deflate/deflate_symbols.h"

#include <algorithm>

namespace voxcc::io::inflating {
namespace {

constexpr std::array<std::uint8_t, 19> order_of_lengths{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

constexpr std::size_t steps_per_refill = 2;
static_assert(steps_per_refill * StepTable::most_bits <= 56);
static_assert(least_room >= steps_per_refill * longest_match);

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

// The literals of a step as the first elements of 8 bytes; 0 for a match.
template <class Element>
std::uint64_t literals_of(const Step& step) {
    if constexpr (sizeof(Element) == 1) return step.literals;
    return (std::uint64_t{step.literals} << 8 & 0xff0000) | (step.literals & 0xff);
}

// Decodes one step. Literals and matches come at random in noisy volumes, so no branch distinguishes them.
// @param size at least StepTable::far_enough
// @return the new size; `size` if the table does not decode the step, or if the match begins before the output or overlaps its copy
template <class Element>
std::size_t take_step(const StepTable& steps, BitReader& bits, Element* elements, std::size_t size) {
    constexpr std::size_t first_copy = 16 / sizeof(Element);
    static_assert(StepTable::far_enough >= first_copy);
    const std::uint64_t stream = bits.peek();
    const Step step = steps.at(stream);
    const std::size_t distance = step.distance + ((stream & ((std::uint64_t{1} << step.bits) - 1)) >> step.code_bits);
    if (distance - first_copy > size - first_copy) return size;  // also if distance < first_copy
    bits.skip(step.bits);
    Element* const to = elements + size;
    const Element* const from = to - distance;
    std::array<std::uint64_t, 2> copied;
    std::memcpy(copied.data(), from, 16);
    const std::uint64_t keep = std::uint64_t{step.has_literals()} - 1;
    copied[0] = (copied[0] & keep) | literals_of<Element>(step);
    std::memcpy(to, copied.data(), 16);
    for (std::size_t i = first_copy; i < step.length; i += first_copy) std::memcpy(to + i, from + i, 16);
    return size + step.length;
}

// Decodes steps until the input or the output is nearly used up, or until the table does not decode a step.
// @return the new size
template <class Element>
std::size_t take_steps(const StepTable& steps, BitReader& bits, const Output<Element>& out, std::size_t size, std::size_t reserve) {
    constexpr std::size_t least = StepTable::far_enough;
    if (out.limit < least + least_room) return size;
    const std::size_t limit = out.limit - least_room - least;
    while (bits.has_bytes(8 + reserve) && size - least < limit) {
        bits.refill_inside();
        for (std::size_t i = 0; i < steps_per_refill; ++i) {
            const std::size_t next = take_step(steps, bits, out.elements, size);
            if (next == size) return size;
            size = next;
        }
    }
    return size;
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
    steps_.build(litlen_, distance_);
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
    if (code[end_of_block] == 0 || !litlen_.build(all.first(litlens), Alphabet::literals_and_lengths)) return false;
    if (!distance_.build(all.subspan(litlens, distances), Alphabet::distances)) return false;
    steps_.build(litlen_, distance_);
    return true;
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
    for (;;) {
        size = take_steps(steps_, bits, out, size, reserve);
        if (size >= limit) return stop(Stop::output_full);
        if (bits.fewer_left_than(reserve)) return stop(Stop::input_low);
        bits.refill();
        const Symbol entry = litlen_.decode(bits.peek());
        bits.skip(entry.bits);
        if (bits.overrun() || entry.kind == Symbol::invalid) return stop(Stop::error);
        if (entry.kind == Symbol::literal) {
            out.elements[size++] = Element(entry.base);
            continue;
        }
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
