#include "io/codecs/inflate/decoding_table.h"
#include "io/codecs/deflate/deflate_symbols.h"

#include <algorithm>

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

// The bits of each number in reverse order.
constexpr auto reversed = [] {
    std::array<std::uint16_t, std::size_t{1} << DecodingTable::index_bits> result{};
    for (std::size_t number = 0; number < result.size(); ++number)
        for (unsigned i = 0; i < DecodingTable::index_bits; ++i)
            result[number] = std::uint16_t(result[number] | (number >> i & 1) << (DecodingTable::index_bits - 1 - i));
    return result;
}();

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
    for (unsigned bits = 1; bits <= longest; ++bits) place[bits + 1] = std::uint16_t(place[bits] + count_[bits]);
    for (std::size_t number = 0; number < code.size(); ++number)
        if (code[number] > 0) sorted_[place[code[number]]++] = std::uint16_t(number);
    fill_entries();
    return true;
}

// Begins with a table for 0 bits of the stream, and doubles the table for each further bit.
void DecodingTable::fill_entries() {
    entries_[0] = {};
    std::uint32_t word = 0;
    std::size_t place = 0, size = 1;
    for (unsigned bits = 1; bits <= index_bits; ++bits) {
        std::copy_n(entries_.begin(), size, entries_.begin() + std::ptrdiff_t(size));
        size *= 2;
        word <<= 1;
        for (const std::size_t end = place + count_[bits]; place < end; ++place, ++word) {
            Symbol entry = meaning(sorted_[place], alphabet_);
            entry.bits = std::uint8_t(bits);
            entries_[std::size_t{reversed[word]} >> (index_bits - bits)] = entry;
        }
    }
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
