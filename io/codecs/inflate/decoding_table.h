// Tables that decode the Huffman codes of deflate (RFC 1951, section 3.2.2).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace voxcc::io::inflating {

/// The meaning of a code word.
struct Symbol {
    enum Kind : std::uint8_t { literal, length, distance, end_of_block, code_length, invalid };
    std::uint16_t base = 0;  // the literal byte; the shortest length; the shortest distance
    std::uint8_t extra_bits : 4 = 0;
    Kind kind : 4 = invalid;
    std::uint8_t bits = 0;  // of the code word; 0: longer than the index of the table, or not a code word
};

enum class Alphabet : std::uint8_t { literals_and_lengths, distances, code_lengths };

/// Decodes the code words of one code.
class DecodingTable {
public:
    static constexpr unsigned index_bits = 11;
    /// @param lengths bits per symbol, 0 to 15; 0: the symbol does not occur
    /// @return false if the lengths are not a complete code. As in zlib, one code word of one bit and no code word are accepted, except for
    /// code lengths.
    bool build(std::span<const std::uint8_t> lengths, Alphabet alphabet);
    /// @param bits at least 15 bits of the stream
    Symbol decode(std::uint64_t bits) const {
        const Symbol entry = short_code(bits);
        return entry.bits > 0 ? entry : decode_long(bits);
    }
    /// @param bits at least index_bits bits of the stream
    /// @return a symbol with 0 bits if the code word is longer than index_bits, or is not a code word
    Symbol short_code(std::uint64_t bits) const { return entries_[bits & (entries_.size() - 1)]; }

private:
    static constexpr unsigned longest = 15;
    void fill_entries();
    Symbol decode_long(std::uint64_t bits) const;
    Alphabet alphabet_ = Alphabet::distances;
    std::array<Symbol, std::size_t{1} << index_bits> entries_;
    std::array<std::uint16_t, longest + 1> count_{};  // code words per length
    std::array<std::uint16_t, 288> sorted_{};         // symbols by length, then by number
};

}  // namespace voxcc::io::inflating
