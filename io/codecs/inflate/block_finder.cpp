#include "io/codecs/inflate/block_finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace voxcc::io::inflating {
namespace {

std::uint64_t load_bits(const std::uint8_t* bytes, std::size_t bit) {  // at least 57 bits
    std::uint64_t word;
    std::memcpy(&word, bytes + bit / 8, 8);
    return word >> bit % 8;
}

// For four lengths of 3 bits, the part of the code words that they use, in units of 1/128.
constexpr auto used_by_four = [] {
    std::array<std::uint16_t, 4096> used{};
    for (std::size_t lengths = 0; lengths < used.size(); ++lengths)
        for (unsigned i = 0; i < 4; ++i)
            if (const unsigned length = lengths >> 3 * i & 7) used[lengths] = std::uint16_t(used[lengths] + (128u >> length));
    return used;
}();

bool complete_code_lengths(std::uint64_t lengths, unsigned count) {
    lengths &= (std::uint64_t{1} << 3 * count) - 1;
    unsigned used = 0;
    for (; lengths != 0; lengths >>= 12) used += used_by_four[lengths & 4095];
    return used == 128;
}

bool can_begin(const std::uint8_t* bytes, std::size_t bit) {
    const std::uint64_t header = load_bits(bytes, bit);
    if ((header >> 3 & 31) > 29 || (header >> 8 & 31) > 29) return false;
    return complete_code_lengths(load_bits(bytes, bit + 17), 4 + unsigned(header >> 13 & 15));
}

}  // namespace

std::optional<std::size_t> find_dynamic_block(std::span<const std::uint8_t> bytes, std::size_t from, std::size_t end) {
    constexpr std::size_t read_ahead = 24, step = 48;  // bytes; bits
    if (bytes.size() < read_ahead) return std::nullopt;
    end = std::min(end, (bytes.size() - read_ahead) * 8);
    for (std::size_t first = from; first < end; first += step) {
        const std::uint64_t bits = load_bits(bytes.data(), first);
        // One bit per place whose next three bits are 0, 0, 1.
        std::uint64_t places = ~bits & ~(bits >> 1) & (bits >> 2) & ((std::uint64_t{1} << step) - 1);
        for (; places != 0; places &= places - 1) {
            const std::size_t bit = first + std::size_t(std::countr_zero(places));
            if (bit >= end) return std::nullopt;
            if (can_begin(bytes.data(), bit)) return bit;
        }
    }
    return std::nullopt;
}

}  // namespace voxcc::io::inflating
