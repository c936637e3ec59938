#include "io/codecs/deflate/deflate.h"
#include "io/codecs/deflate/huffman.h"
#include "io/codecs/gzip/gzip.h"

#include <doctest/doctest.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <zlib.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <queue>
#include <vector>

using namespace voxcc;
using namespace voxcc::io;

namespace {

using Bytes = std::vector<unsigned char>;

// The standard library's distributions may differ between systems, so the tests use this generator.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return std::uint32_t(state_ >> 33);
    }
    std::uint32_t below(std::uint32_t limit) { return next() % limit; }

private:
    std::uint64_t state_;
};

Bytes encoded(DeflateEncoder& encoder, std::span<const unsigned char> raw) {
    Bytes out(DeflateEncoder::room_for(raw.size()));
    out.resize(encoder.encode(std::as_bytes(raw), std::as_writable_bytes(std::span(out))));
    return out;
}

Bytes encoded(std::span<const unsigned char> raw) {
    DeflateEncoder encoder;
    return encoded(encoder, raw);
}

Bytes joined(Bytes first, const Bytes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// Each decoder must use all of `stream`, which ends with a final block, and return exactly `size` bytes.
Bytes by_zlib(const Bytes& stream, std::size_t size) {
    Bytes out(size + 1);
    z_stream z{};
    REQUIRE(inflateInit2(&z, -15) == Z_OK);
    z.next_in = const_cast<Bytef*>(stream.data());
    z.avail_in = unsigned(stream.size());
    z.next_out = out.data();
    z.avail_out = unsigned(out.size());
    const int result = inflate(&z, Z_FINISH);
    out.resize(result == Z_STREAM_END && z.avail_in == 0 ? z.total_out : 0);
    inflateEnd(&z);
    return out;
}

Bytes by_libdeflate(const Bytes& stream, std::size_t size) {
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decoder(libdeflate_alloc_decompressor(),
                                                                                               libdeflate_free_decompressor);
    Bytes out(size + 1);
    std::size_t used = 0, made = 0;
    const auto result = libdeflate_deflate_decompress_ex(decoder.get(), stream.data(), stream.size(), out.data(), out.size(), &used, &made);
    out.resize(result == LIBDEFLATE_SUCCESS && used == stream.size() ? made : 0);
    return out;
}

Bytes by_isal(const Bytes& stream, std::size_t size) {
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    Bytes out(size + 1);
    state->next_in = const_cast<unsigned char*>(stream.data());
    state->avail_in = std::uint32_t(stream.size());
    state->next_out = out.data();
    state->avail_out = std::uint32_t(out.size());
    const int result = isal_inflate(state.get());
    out.resize(result == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH ? state->total_out : 0);
    return out;
}

const Bytes final_block{3, 0};

bool decodes_to(const Bytes& stream, const Bytes& raw) {
    const Bytes complete = joined(stream, final_block);
    return by_zlib(complete, raw.size()) == raw && by_libdeflate(complete, raw.size()) == raw && by_isal(complete, raw.size()) == raw;
}

// Runs of elements of 1, 2, 4 or 8 bytes.
Bytes runs(std::size_t size, std::size_t element, std::uint32_t longest_run, std::uint32_t values, std::uint64_t seed) {
    Random random(seed);
    Bytes raw;
    while (raw.size() < size) {
        const std::uint64_t value = random.below(2) ? 0 : std::uint64_t{random.below(values)} * 0x1003005;
        for (std::uint32_t left = 1 + random.below(longest_run); left > 0; --left)
            for (std::size_t i = 0; i < element; ++i) raw.push_back(static_cast<unsigned char>(value >> 8 * i));
    }
    raw.resize(size);
    return raw;
}

Bytes noise(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    Bytes raw(size);
    for (unsigned char& byte : raw) byte = static_cast<unsigned char>(random.next() >> 7);
    return raw;
}

// Pieces of noise, runs, few-valued bytes, and copies from up to 40000 bytes before.
Bytes mixture(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    Bytes raw;
    while (raw.size() < size) {
        std::size_t left = 1 + random.below(random.below(4) ? 60 : 2000);
        const auto value = static_cast<unsigned char>(random.next());
        const std::uint32_t kind = random.below(4), values = 1 + random.below(6);
        const std::size_t element = std::size_t{1} << random.below(4), far = 1 + random.below(40'000);
        for (; left > 0; --left) {
            const std::size_t distance = kind == 0 ? element : far;
            if (kind < 2 && distance <= raw.size()) raw.push_back(raw[raw.size() - distance]);
            else raw.push_back(static_cast<unsigned char>(kind == 2 ? random.next() : value + random.below(values)));
        }
    }
    raw.resize(size);
    return raw;
}

std::uint32_t crc(const Bytes& bytes) { return std::uint32_t(crc32(0, bytes.data(), unsigned(bytes.size()))); }

// The sum of frequency * length of an optimal code without a limit.
std::uint64_t optimal_cost(std::span<const std::uint32_t> frequency) {
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> weights;
    for (const std::uint32_t f : frequency)
        if (f > 0) weights.push(f);
    std::uint64_t cost = 0;
    while (weights.size() > 1) {
        std::uint64_t sum = weights.top();
        weights.pop();
        sum += weights.top();
        weights.pop();
        weights.push(sum);
        cost += sum;
    }
    return cost;
}

// The same with a limit, by package-merge: independent of the method under test.
std::uint64_t optimal_cost(std::vector<std::uint64_t> frequency, unsigned longest) {
    std::ranges::sort(frequency);
    std::vector<std::uint64_t> packages = frequency;
    for (unsigned level = 1; level < longest; ++level) {
        std::vector<std::uint64_t> next = frequency;
        for (std::size_t i = 1; i < packages.size(); i += 2) next.push_back(packages[i - 1] + packages[i]);
        std::ranges::sort(next);
        packages = std::move(next);
    }
    return std::accumulate(packages.begin(), packages.begin() + std::ptrdiff_t(2 * frequency.size() - 2), std::uint64_t{0});
}

std::uint64_t cost_of(const HuffmanCode& code, std::span<const std::uint32_t> frequency) {
    std::uint64_t cost = 0;
    for (std::size_t s = 0; s < frequency.size(); ++s) cost += std::uint64_t{frequency[s]} * code.length[s];
    return cost;
}

// Complete: the codes use all bit patterns, and none is the start of another one.
void check_complete(const HuffmanCode& code, std::size_t symbols, unsigned longest) {
    std::vector<int> used(std::size_t{1} << longest);
    for (std::size_t s = 0; s < symbols; ++s) {
        if (code.length[s] == 0) continue;
        REQUIRE(code.length[s] <= longest);
        for (std::size_t pattern = code.bits[s]; pattern < used.size(); pattern += std::size_t{1} << code.length[s]) ++used[pattern];
    }
    CHECK(std::ranges::count(used, 1) == std::ptrdiff_t(used.size()));
}

std::vector<std::uint32_t> fibonacci(std::size_t symbols) {
    std::vector<std::uint32_t> numbers(symbols, 1);
    for (std::size_t i = 2; i < symbols; ++i) numbers[i] = numbers[i - 1] + numbers[i - 2];
    return numbers;
}

}  // namespace

TEST_CASE("huffman: codes are complete, within the limit and optimal if the limit allows") {
    Random random(1);
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        std::vector<std::uint32_t> frequency(2 + random.below(285));
        for (std::uint32_t& f : frequency) f = random.below(3) ? random.below(1u << random.below(20)) : 0;
        frequency[0] = frequency[1] = 1;
        const HuffmanCode code = huffman_code(frequency, 15);
        check_complete(code, frequency.size(), 15);
        for (std::size_t s = 0; s < frequency.size(); ++s) CHECK((code.length[s] > 0) == (frequency[s] > 0));
        const unsigned deepest = *std::ranges::max_element(code.length);
        if (deepest < 15) CHECK(cost_of(code, frequency) == optimal_cost(frequency));
    }
}

TEST_CASE("huffman: Fibonacci frequencies, whose optimal codes are longer than the limit") {
    for (const auto& [count, longest] : {std::pair{std::size_t{40}, 15u}, {std::size_t{19}, 7u}, {std::size_t{17}, 15u}}) {
        const std::size_t symbols = count;
        CAPTURE(symbols);
        const std::vector<std::uint32_t> frequency = fibonacci(symbols);  // the optimal code has symbols - 1 bits
        const HuffmanCode code = huffman_code(frequency, longest);
        check_complete(code, symbols, longest);
        CHECK(*std::ranges::max_element(code.length) == longest);
        CHECK(cost_of(code, frequency) > optimal_cost(frequency));
        const std::uint64_t best = optimal_cost({frequency.begin(), frequency.end()}, longest);
        CHECK(cost_of(code, frequency) >= best);
        CHECK(cost_of(code, frequency) < best * 9 / 8);  // the limit is met by a simple method, which is not optimal
        for (std::size_t s = 1; s < symbols; ++s) CHECK(code.length[s] <= code.length[s - 1]);
    }
}

TEST_CASE("huffman: no symbol, one symbol, all symbols") {
    for (const std::size_t occurring : {std::size_t{0}, std::size_t{1}, std::size_t{286}}) {
        CAPTURE(occurring);
        std::vector<std::uint32_t> frequency(286);
        for (std::size_t i = 0; i < occurring; ++i) frequency[285 - i] = 1u << 30;
        check_complete(huffman_code(frequency, 15), 286, 15);
    }
}

TEST_CASE("deflate: every size from 0 to 600") {
    DeflateEncoder encoder;
    for (std::size_t size = 0; size <= 600; ++size) {
        CAPTURE(size);
        Bytes ascending(size);
        for (std::size_t i = 0; i < size; ++i) ascending[i] = static_cast<unsigned char>(i);
        for (const Bytes& raw : {Bytes(size, 0), ascending, noise(size, size), runs(size, 2, 9, 5, size), runs(size, 4, 5, 900, size),
                                 runs(size, 8, 4, 3, size), mixture(size, size)})
            CHECK(decodes_to(encoded(encoder, raw), raw));
    }
    CHECK(encoded({}) == Bytes{0, 0, 0, 0xff, 0xff});
}

TEST_CASE("deflate: runs of all element sizes") {
    for (const std::size_t element : {1u, 2u, 4u, 8u})
        for (const std::uint32_t longest : {3u, 40u, 1000u, 200'000u})
            for (const std::uint32_t values : {2u, 300u, 100'000u}) {
                CAPTURE(element);
                CAPTURE(longest);
                CAPTURE(values);
                const Bytes raw = runs(300'000, element, longest, values, 3), stream = encoded(raw);
                CHECK(decodes_to(stream, raw));
                CHECK(stream.size() < raw.size() * 3 / 4);
                if (longest == 200'000) CHECK(stream.size() < 3000);
            }
}

TEST_CASE("deflate: run lengths around multiples of 258") {
    for (std::size_t length = 0; length < 1100; ++length) {
        CAPTURE(length);
        const Bytes raw = joined(joined(noise(100, 1), Bytes(length, 7)), noise(100, 2));
        CHECK(decodes_to(encoded(raw), raw));
    }
}

TEST_CASE("deflate: bytes that cannot be compressed are stored") {
    for (const std::size_t size : {1u, 100u, 32'767u, 32'768u, 65'535u, 65'536u, 70'000u, 1'000'000u}) {
        CAPTURE(size);
        const Bytes raw = noise(size, 5), stream = encoded(raw);
        CHECK(decodes_to(stream, raw));
        CHECK(stream.size() <= size + 10 + 5 * (size / 32'768));
    }
}

// The repeats are too few to make the coded sub-block smaller. They are at positions that the encoder visits, whose steps grow where
// nothing repeats. So the sub-block does not end after 32 kB of literals, and is stored in pieces.
TEST_CASE("deflate: stored sub-blocks of more than 64 KiB") {
    for (const std::size_t size : {65'534u, 65'535u, 65'536u, 65'537u, 131'070u, 131'071u, 500'000u}) {
        CAPTURE(size);
        Bytes raw = noise(size, 9);
        std::size_t at = 1, literals = 0;
        while (at + 8 <= size) {
            if (at - literals >= 20'000) {
                std::fill_n(raw.begin() + std::ptrdiff_t(at), 4, raw[at - 1]);
                raw[at + 4] = static_cast<unsigned char>(~raw[at - 1]);
                at = literals = at + 4;
            }
            at += 1 + (at - literals) / 64;
        }
        const Bytes stream = encoded(raw);
        CHECK(decodes_to(stream, raw));
        CHECK(stream.size() == size + 5 * ((size + 65'534) / 65'535) + 5);
    }
}

TEST_CASE("deflate: matches at distances up to 32768, and no longer ones") {
    const Bytes start = noise(3000, 6);
    for (const std::size_t distance : {3000u, 3001u, 32'760u, 32'767u, 32'768u, 32'769u, 40'000u}) {
        CAPTURE(distance);
        const Bytes raw = joined(joined(start, Bytes(distance - start.size(), 9)), start), stream = encoded(raw);
        CHECK(decodes_to(stream, raw));
        CHECK((stream.size() < 5000) == (distance <= 32'768));
    }
}

TEST_CASE("deflate: sizes around 64 KiB and sub-block boundaries") {
    for (std::size_t size = 65'520; size <= 65'560; ++size) {
        CAPTURE(size);
        const Bytes random = noise(size, 8), mixed = mixture(size, size), labels = runs(size, 4, 6, 70'000, size);
        CHECK(decodes_to(encoded(random), random));
        CHECK(decodes_to(encoded(mixed), mixed));
        CHECK(decodes_to(encoded(labels), labels));
    }
    for (const Bytes& raw :
         {runs(3'000'000, 1, 12, 3, 1), joined(noise(70'000, 1), Bytes(70'000, 0)), joined(Bytes(70'000, 0), noise(70'000, 1))})
        CHECK(decodes_to(encoded(raw), raw));
}

TEST_CASE("deflate: literals with Fibonacci frequencies") {
    const std::vector<std::uint32_t> frequency = fibonacci(24);
    Bytes raw;
    for (std::size_t s = 0; s < frequency.size(); ++s) raw.insert(raw.end(), frequency[s], static_cast<unsigned char>(s));
    Random random(4);
    for (std::size_t i = raw.size(); i > 1; --i) std::swap(raw[i - 1], raw[random.below(std::uint32_t(i))]);
    CHECK(decodes_to(encoded(raw), raw));
}

TEST_CASE("deflate: random mixtures, encoded one after another and joined") {
    Random random(2026);
    DeflateEncoder reused;
    Bytes all_raw, all_streams;
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        const std::size_t size = random.below(random.below(30) ? 4000 : 150'000);
        const Bytes raw = mixture(size, random.next()), stream = encoded(reused, raw);
        REQUIRE(decodes_to(stream, raw));
        if (round % 10 == 0) CHECK(encoded(raw) == stream);  // earlier blocks have no influence
        if (round >= 500) continue;
        all_raw = joined(std::move(all_raw), raw);
        all_streams = joined(std::move(all_streams), stream);
    }
    CHECK(decodes_to(all_streams, all_raw));
}

TEST_CASE("deflate: the result does not depend on the address or on neighbouring bytes") {
    for (const Bytes& raw : {runs(352, 4, 20, 5, 1), runs(50'000, 4, 20, 500, 1), mixture(60'000, 1), noise(1000, 1)}) {
        const Bytes expected = encoded(raw);
        for (std::size_t shift = 0; shift < 65; ++shift) {
            CAPTURE(shift);
            Bytes shifted = noise(raw.size() + 200, shift);
            std::ranges::copy(raw, shifted.begin() + std::ptrdiff_t(shift));
            CHECK(encoded(std::span(shifted).subspan(shift, raw.size())) == expected);
        }
    }
}

TEST_CASE("deflate: nothing is written beyond the room") {
    for (const Bytes& raw : {Bytes{}, Bytes{1}, noise(70'000, 1), mixture(70'000, 1)}) {
        Bytes out(DeflateEncoder::room_for(raw.size()) + 100, 0xab);
        DeflateEncoder encoder;
        encoder.encode(std::as_bytes(std::span(raw)), std::as_writable_bytes(std::span(out).first(out.size() - 100)));
        CHECK(std::all_of(out.end() - 100, out.end(), [](unsigned char byte) { return byte == 0xab; }));
    }
}

// Fails when a change of the encoder changes its bytes. The new values are then entered here, and the changelog mentions the change.
TEST_CASE("deflate: known answers") {
    const std::vector<std::pair<Bytes, std::pair<std::size_t, std::uint32_t>>> known{
        {runs(352, 4, 20, 5, 1), {44, 2482922979}},
        {runs(1 << 20, 1, 30, 3, 2), {48737, 1605762969}},
        {runs(1 << 20, 2, 100, 40'000, 3), {24083, 545571258}},
        {runs(1 << 20, 4, 30, 1'000'000, 4), {58811, 3040341249}},
        {mixture(1 << 20, 5), {524803, 98386924}},
        {noise(100'000, 6), {100025, 891384145}},
    };
    for (std::size_t i = 0; i < known.size(); ++i) {
        CAPTURE(i);
        const Bytes stream = encoded(known[i].first);
        CHECK(stream.size() == known[i].second.first);
        CHECK(crc(stream) == known[i].second.second);
    }
}

TEST_CASE("deflate: gzip levels 1 and 2 use this encoder") {
    for (const Bytes& raw : {Bytes{}, runs(352, 4, 20, 5, 1), runs(400'000, 4, 100, 500, 1)})
        for (const int level : {1, 2}) {
            const EncodedBlock block = encode_gzip_block(std::as_bytes(std::span(raw)), level);
            const Bytes expected = encoded(raw);
            CHECK(std::ranges::equal(block.bytes, std::as_bytes(std::span(expected))));
        }
}
