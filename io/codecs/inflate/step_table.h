// A table that decodes most of the content of a deflate block with one look-up per match or per pair of literals.
#pragma once
#include "io/codecs/inflate/decoding_table.h"

namespace voxcc::io::inflating {

/// What one look-up decodes completely: one literal, two literals, or a match with its length and its distance.
// Literals 0x61 and 0x62, code words of 5 bits  ->  length 2, distance far_enough, literals 0x6261, bits 10, code_bits 10.
// Length 4, a distance from 16385 to 24576, code words of 1 and 3 bits  ->  length 4, distance 16385, bits 17, code_bits 4.
struct Step {
    std::uint16_t length = 0;    // elements that the step adds
    std::uint16_t distance = 0;  // the shortest distance of the match; 0: the table does not decode the code words at this index
    std::uint16_t literals = 0;  // first in the low byte; 0 for a match
    std::uint8_t bits = 0;       // of the code words and the extra bits of the distance
    std::uint8_t code_bits = 0;  // without the extra bits of the distance
    /// The table does not decode distances without extra bits (1 to 4), because such matches overlap their copy.
    bool has_literals() const { return bits == code_bits; }
};

/// The steps of one block.
class StepTable {
public:
    static constexpr unsigned index_bits = DecodingTable::index_bits;
    static constexpr unsigned most_bits = index_bits + 13;  // a step takes at most these bits of the stream
    /// Literals have this distance, so that the same checks apply to literals and matches.
    static constexpr std::size_t far_enough = 16;
    /// @param literals_and_lengths, distances tables of the same block
    void build(const DecodingTable& literals_and_lengths, const DecodingTable& distances);
    Step at(std::uint64_t stream) const { return steps_[stream & (steps_.size() - 1)]; }

private:
    std::array<Step, std::size_t{1} << index_bits> steps_;
};

}  // namespace voxcc::io::inflating
