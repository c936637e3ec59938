#include "io/codecs/deflate/huffman.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using LengthCounts = std::array<std::uint32_t, 16>;  // number of codes per length

struct UsedSymbols {
    std::array<std::uint64_t, most_symbols> entries{};  // frequency << 16 | symbol, ascending
    std::size_t count = 0;
};

UsedSymbols used_symbols(std::span<const std::uint32_t> frequency) {
    UsedSymbols used;
    for (std::size_t symbol = 0; symbol < frequency.size(); ++symbol)
        if (frequency[symbol] > 0) used.entries[used.count++] = std::uint64_t{frequency[symbol]} << 16 | symbol;
    for (std::size_t symbol = 0; used.count < 2; ++symbol)
        if (frequency[symbol] == 0) used.entries[used.count++] = std::uint64_t{1} << 16 | symbol;
    std::sort(used.entries.begin(), used.entries.begin() + std::ptrdiff_t(used.count));
    return used;
}

// The method with two queues: leaves and inner nodes are both made in ascending order of weight, so each queue is a range of one array.
LengthCounts unlimited_lengths(const UsedSymbols& used, unsigned longest) {
    std::array<std::uint64_t, 2 * most_symbols> weight;
    std::array<std::uint16_t, 2 * most_symbols> parent, depth;
    for (std::size_t i = 0; i < used.count; ++i) weight[i] = used.entries[i] >> 16;
    std::size_t leaf = 0, inner = used.count;
    const std::size_t root = 2 * used.count - 2;
    for (std::size_t made = used.count; made <= root; ++made) {
        weight[made] = 0;
        for (int child = 0; child < 2; ++child) {
            const bool from_leaves = leaf < used.count && (inner == made || weight[leaf] <= weight[inner]);
            std::size_t& next = from_leaves ? leaf : inner;
            weight[made] += weight[next];
            parent[next++] = std::uint16_t(made);
        }
    }
    LengthCounts counts{};
    depth[root] = 0;
    for (std::size_t i = root; i-- > 0;) {
        depth[i] = std::uint16_t(depth[parent[i]] + 1);
        if (i < used.count) ++counts[std::min<unsigned>(depth[i], longest)];
    }
    return counts;
}

// Lengths above the limit were counted as the limit, so the codes need more room than there is. Each step makes room for one code:
// a leaf above the limit becomes an inner node with two leaves, which are the old leaf and one of the leaves at the limit.
void limit_lengths(LengthCounts& counts, unsigned longest) {
    std::uint32_t room = 0;
    for (unsigned length = 1; length <= longest; ++length) room += counts[length] << (longest - length);
    for (; room > std::uint32_t{1} << longest; --room) {
        unsigned length = longest - 1;
        while (counts[length] == 0) --length;
        --counts[length];
        counts[length + 1] += 2;
        --counts[longest];
    }
}

std::uint16_t reversed(std::uint32_t bits, unsigned count) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < count; ++i) result |= (bits >> i & 1) << (count - 1 - i);
    return std::uint16_t(result);
}

}  // namespace

HuffmanCode huffman_code(std::span<const std::uint32_t> frequency, unsigned longest) {
    const UsedSymbols used = used_symbols(frequency);
    LengthCounts counts = unlimited_lengths(used, longest);
    limit_lengths(counts, longest);
    HuffmanCode code;
    std::size_t rarest = 0;
    for (unsigned length = longest; length > 0; --length)
        for (std::uint32_t i = 0; i < counts[length]; ++i) code.length[used.entries[rarest++] & 0xffff] = std::uint8_t(length);
    std::array<std::uint32_t, 17> next{};
    for (unsigned length = 1; length <= longest; ++length) next[length + 1] = (next[length] + counts[length]) << 1;
    for (std::size_t symbol = 0; symbol < frequency.size(); ++symbol)
        if (const unsigned length = code.length[symbol]) code.bits[symbol] = reversed(next[length]++, length);
    return code;
}

}  // namespace voxcc::io
