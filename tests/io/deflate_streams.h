// Deflate streams with random codes and random symbols (RFC 1951), for tests of the decoder. zlib is the reference for their content.
#pragma once
#include <zlib.h>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace voxcc::test {

// Appends bits, lowest bit first.
class BitString {
public:
    void append(std::uint32_t value, unsigned bits) {
        for (unsigned i = 0; i < bits; ++i, ++size_) {
            if (size_ % 8 == 0) bytes_ += '\0';
            bytes_.back() = char(bytes_.back() | (value >> i & 1) << size_ % 8);
        }
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    std::size_t size_ = 0;
};

// A Huffman code: bits per symbol, and the code words with their first bit as the highest bit (RFC 1951, section 3.2.2).
struct Code {
    std::vector<unsigned> bits;
    std::vector<std::uint32_t> words;
    explicit Code(std::vector<unsigned> lengths) : bits(std::move(lengths)), words(bits.size()) {
        std::uint32_t word = 0;
        for (unsigned length = 1; length <= 15; ++length, word <<= 1)
            for (std::size_t symbol = 0; symbol < bits.size(); ++symbol)
                if (bits[symbol] == length) words[symbol] = word++;
    }
    void put(BitString& to, std::size_t symbol) const {
        for (unsigned i = bits[symbol]; i > 0; --i) to.append(words[symbol] >> (i - 1) & 1, 1);
    }
    std::vector<std::size_t> symbols() const {
        std::vector<std::size_t> used;
        for (std::size_t symbol = 0; symbol < bits.size(); ++symbol)
            if (bits[symbol] > 0) used.push_back(symbol);
        return used;
    }
};

// A complete code of random shape for these symbols. @param skew 1: lengths up to 15 are usual; 0: nearly equal lengths
inline Code random_code(std::mt19937& random, std::size_t symbols, std::vector<std::size_t> used, int skew) {
    std::vector<unsigned> leaves{0};
    while (leaves.size() < used.size()) {
        const auto leaf = skew > 0 ? leaves.size() - 1 - random() % std::min<std::size_t>(leaves.size(), 2)
                                   : std::size_t(std::min_element(leaves.begin(), leaves.end()) - leaves.begin());
        const auto split = leaves[leaf] < 15 ? leaf : std::size_t(std::min_element(leaves.begin(), leaves.end()) - leaves.begin());
        leaves.push_back(++leaves[split]);
    }
    if (used.size() == 1) leaves[0] = 1;  // one code word of one bit, which deflate permits for distances
    std::shuffle(used.begin(), used.end(), random);
    std::vector<unsigned> bits(symbols);
    for (std::size_t i = 0; i < used.size(); ++i) bits[used[i]] = leaves[i];
    return Code(std::move(bits));
}

// The header of a last block with these codes. All lengths are written as numbers of 4 bits, without repetitions.
inline void put_header(BitString& to, const Code& literals_and_lengths, const Code& distances) {
    to.append(1, 1);
    to.append(2, 2);
    to.append(std::uint32_t(literals_and_lengths.bits.size() - 257), 5);
    to.append(std::uint32_t(distances.bits.size() - 1), 5);
    to.append(19 - 4, 4);
    for (int i = 0; i < 19; ++i) to.append(i < 3 ? 0 : 4, 3);  // the lengths 16, 17 and 18 come first
    const Code lengths(std::vector<unsigned>(16, 4));
    for (const Code* code : {&literals_and_lengths, &distances})
        for (const unsigned bits : code->bits) lengths.put(to, bits);
}

// One block of `count` random symbols. @param matches share of the matches, in percent
inline std::string random_stream(std::mt19937& random, const Code& literals_and_lengths, const Code& distances, int count,
                                 unsigned matches) {
    BitString out;
    put_header(out, literals_and_lengths, distances);
    std::vector<std::size_t> literals, lengths;
    for (const std::size_t symbol : literals_and_lengths.symbols())
        if (symbol != 256) (symbol < 256 ? literals : lengths).push_back(symbol);
    const auto any_of = [&](const std::vector<std::size_t>& symbols) { return symbols[random() % symbols.size()]; };
    const auto far = distances.symbols();
    for (int i = 0; i < count; ++i) {
        if (lengths.empty() || random() % 100 >= matches) {
            literals_and_lengths.put(out, any_of(literals));
            continue;
        }
        const std::size_t length = any_of(lengths), distance = any_of(far);
        literals_and_lengths.put(out, length);
        const unsigned extra_of_length = length < 265 || length == 285 ? 0 : unsigned(length - 261) / 4;
        out.append(random() % (1u << extra_of_length), extra_of_length);
        distances.put(out, distance);
        const unsigned extra_of_distance = distance < 4 ? 0 : unsigned(distance / 2 - 1);
        out.append(random() % (1u << extra_of_distance), extra_of_distance);
    }
    literals_and_lengths.put(out, 256);
    return out.bytes();
}

// What zlib makes of a deflate stream. @param window the bytes before it, at most 32,768. @return empty if zlib refuses the stream
inline std::optional<std::string> inflated_by_zlib(const std::string& stream, const std::string& window) {
    z_stream state{};
    if (inflateInit2(&state, -15) != Z_OK) return std::nullopt;
    if (!window.empty()) inflateSetDictionary(&state, reinterpret_cast<const Bytef*>(window.data()), unsigned(window.size()));
    std::string out(std::size_t{1} << 22, '\0');
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
    state.avail_in = unsigned(stream.size());
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = unsigned(out.size());
    const bool valid = inflate(&state, Z_FINISH) == Z_STREAM_END;
    out.resize(state.total_out);
    inflateEnd(&state);
    return valid ? std::optional(out) : std::nullopt;
}

}  // namespace voxcc::test
