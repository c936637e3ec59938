#include "io/codecs/inflate/step_table.h"

namespace voxcc::io::inflating {
namespace {

constexpr unsigned index_bits = StepTable::index_bits;

// @param two the symbol after the literal `one`
Step literal_step(Symbol one, Symbol two) {
    const bool pair = two.kind == Symbol::literal && two.bits > 0 && one.bits + two.bits <= int(index_bits);
    const auto bits = std::uint8_t(pair ? one.bits + two.bits : one.bits);
    const auto literals = std::uint16_t(pair ? one.base | two.base << 8 : one.base);
    return {std::uint16_t(pair ? 2 : 1), StepTable::far_enough, literals, bits, bits};
}

// @param at bits of the stream from the match on
Step match_step(Symbol length, std::size_t at, const DecodingTable& distances) {
    const unsigned used = length.bits + length.extra_bits;
    if (used >= index_bits) return {};
    const Symbol distance = distances.short_code(at >> used);
    const unsigned code_bits = used + distance.bits;
    if (distance.bits == 0 || distance.kind != Symbol::distance || distance.extra_bits == 0 || code_bits > index_bits) return {};
    const std::size_t extra = at >> length.bits & ((std::size_t{1} << length.extra_bits) - 1);
    return {std::uint16_t(length.base + extra), distance.base, 0, std::uint8_t(code_bits + distance.extra_bits), std::uint8_t(code_bits)};
}

}  // namespace

void StepTable::build(const DecodingTable& literals_and_lengths, const DecodingTable& distances) {
    for (std::size_t at = 0; at < steps_.size(); ++at) {
        const Symbol symbol = literals_and_lengths.short_code(at);
        if (symbol.bits == 0) steps_[at] = {};
        else if (symbol.kind == Symbol::literal) steps_[at] = literal_step(symbol, literals_and_lengths.short_code(at >> symbol.bits));
        else if (symbol.kind == Symbol::length) steps_[at] = match_step(symbol, at, distances);
        else steps_[at] = {};
    }
}

}  // namespace voxcc::io::inflating
