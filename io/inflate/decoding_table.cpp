#include "io/inflate/decoding_table.h"
#include "io/deflate_symbols.h"

namespace voxcc::io::inflating {
namespace {

Symbol meaning(std::size_t number, Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::code_lengths: return {std::uint16_t(number), 0, Symbol::code_length};
        case Alphabet::distances: {
            if (number >= distance_symbols) return {};
            const std::uint32_t extra = distance_extra_bits(number);
            const std::size_t first = number < 4 ? number : (2 + number % 2) << extra;
            return {std::uint16_t(first + 1), std::uint8_t(extra), Symbol::distance};
        }
        case Alphabet::literals_and_lengths: break;
    }
    if (number < end_of_block) return {std::uint16_t(number), 0, Symbol::literal};
    if (number == end_of_block) return {0, 0, Symbol::end_of_block};
    if (number >= litlen_symbols) return {};
    return {lengths.first[number], lengths.extra_bits[number], Symbol::length};
}

std::size_t reversed(std::uint32_t word, unsigned bits) {
    std::size_t result = 0;
    for (unsigned i = 0; i < bits; ++i) result |= std::size_t{word >> i & 1} << (bits - 1 - i);
    return result;
}

}  // namespace

bool DecodingTable::build(std::span<const std::uint8_t> code, Alphabet alphabet) {
    alphabet_ = alphabet;
    count_.fill(0);
    for (const std::uint8_t bits : code) ++count_[bits];
    count_[0] = 0;
    int room = 1;  // code words of the current length that are not a prefix of another
    std::size_t used = 0;
    for (unsigned bits = 1; bits <= longest; ++bits) {
        room = 2 * room - count_[bits];
        used += count_[bits];
        if (room < 0) return false;
    }
    const bool short_code = used == 0 || (used == 1 && count_[1] == 1);
    if (room > 0 && !(short_code && alphabet != Alphabet::code_lengths)) return false;
    std::array<std::uint16_t, longest + 2> place{};
    std::array<std::uint32_t, longest + 2> next{};
    for (unsigned bits = 1; bits <= longest; ++bits) {
        place[bits + 1] = std::uint16_t(place[bits] + count_[bits]);
        next[bits + 1] = (next[bits] + count_[bits]) << 1;
    }
    entries_.fill({});
    for (std::size_t number = 0; number < code.size(); ++number) {
        const unsigned bits = code[number];
        if (bits == 0) continue;
        sorted_[place[bits]++] = std::uint16_t(number);
        const std::uint32_t word = next[bits]++;
        if (bits > index_bits) continue;
        Symbol entry = meaning(number, alphabet);
        entry.bits = std::uint8_t(bits);
        for (std::size_t at = reversed(word, bits); at < entries_.size(); at += std::size_t{1} << bits) entries_[at] = entry;
    }
    return true;
}

// Code words of equal length ascend with the place in sorted_: RFC 1951, section 3.2.2.
Symbol DecodingTable::decode_long(std::uint64_t stream) const {
    std::uint32_t word = 0, first = 0;
    std::size_t place = 0;
    for (unsigned bits = 1; bits <= longest; ++bits, stream >>= 1) {
        word = word << 1 | std::uint32_t(stream & 1);
        first <<= 1;
        if (word < first + count_[bits]) {
            Symbol symbol = meaning(sorted_[place + word - first], alphabet_);
            symbol.bits = std::uint8_t(bits);
            return symbol;
        }
        first += count_[bits];
        place += count_[bits];
    }
    return {.bits = longest};
}

}  // namespace voxcc::io::inflating
