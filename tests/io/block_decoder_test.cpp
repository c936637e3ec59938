// BlockDecoder on streams of random codes and symbols. zlib is the reference.
#include "io/codecs/inflate/block_decoder.h"
#include "tests/io/deflate_streams.h"
#include "tests/io/gzip_contents.h"

#include <doctest/doctest.h>
#include <numeric>

using namespace voxcc::io::inflating;
using namespace voxcc::test;

namespace {

using Stop = BlockDecoder::Stop;
constexpr std::size_t rooms[] = {least_room + 1, least_room + 40, 3 * least_room, 300'000};

template <class Element>
struct Decoded {
    bool valid = false;
    std::size_t bytes_read = 0;
    std::vector<Element> elements;  // after the window
};

// Decodes in pieces. The input and the output have no more room than the decoder may use.
// @param room free elements per call. @param reserve of the first call; later calls have 0
template <class Element>
Decoded<Element> decode(const std::string& stream, const std::vector<Element>& window, std::size_t room, std::size_t reserve = 0) {
    constexpr Element untouched = 0x5a;
    constexpr std::size_t guard = 64;
    const std::vector<std::uint8_t> input(stream.begin(), stream.end());
    BitReader in(input, 0);
    BlockDecoder decoder;
    Decoded<Element> result;
    std::vector<Element> elements = window;
    Stop stop = Stop::block_end;
    while (stop != Stop::last_block_end) {
        if (stop == Stop::block_end && !decoder.begin_block(in)) return result;
        const std::size_t before = elements.size();
        elements.resize(before + room + overwritten);
        elements.resize(elements.size() + guard, untouched);
        Output<Element> out{elements.data(), before, before + room};
        stop = decoder.decode(in, out, reserve);
        REQUIRE(out.size <= out.limit);
        CHECK(std::all_of(elements.end() - guard, elements.end(), [](Element element) { return element == untouched; }));
        elements.resize(out.size);
        result.elements.assign(elements.begin() + std::ptrdiff_t(window.size()), elements.end());
        if (stop == Stop::error) return result;
        if (stop == Stop::output_full) REQUIRE(out.size > before);
        if (stop == Stop::input_low) CHECK(in.position() / 8 + reserve + 8 >= input.size());
        if (stop == Stop::input_low) reserve = 0;
    }
    result.valid = true;
    result.bytes_read = (in.position() + 7) / 8;
    return result;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<Mark> unknown_window() {
    std::vector<Mark> marks(window_bytes);
    std::iota(marks.begin(), marks.end(), marker);
    return marks;
}

// @param window 32,768 bytes
std::vector<std::uint8_t> resolved(const std::vector<Mark>& marks, const std::string& window) {
    std::vector<std::uint8_t> bytes;
    for (const Mark mark : marks) bytes.push_back(mark < marker ? std::uint8_t(mark) : std::uint8_t(window[mark - marker]));
    CHECK(std::none_of(marks.begin(), marks.end(), [](Mark mark) { return mark > 255 && mark < marker; }));
    return bytes;
}

// Decodes to bytes and to marks, with 32,768 bytes before the stream, and compares the result with zlib.
void check_stream(const std::string& stream, std::size_t reserve = 0) {
    const std::string window = noise(window_bytes);
    const auto expected = inflated_by_zlib(stream, window);
    for (const std::size_t room : rooms)
        for (const std::size_t more : {std::size_t{0}, std::size_t{100}}) {  // bytes after the stream
            CAPTURE(room);
            CAPTURE(more);
            const auto bytes = decode(stream + std::string(more, '\x55'), bytes_of(window), room, reserve);
            const auto marks = decode(stream + std::string(more, '\x55'), unknown_window(), room, reserve);
            REQUIRE(bytes.valid == expected.has_value());
            REQUIRE(marks.valid == expected.has_value());
            if (!expected) continue;
            CHECK((bytes.elements == bytes_of(*expected)));
            CHECK((resolved(marks.elements, window) == bytes_of(*expected)));
            CHECK(bytes.bytes_read == stream.size());
            CHECK(marks.bytes_read == stream.size());
        }
}

std::vector<std::size_t> numbers(std::size_t first, std::size_t last) {
    std::vector<std::size_t> result(last - first + 1);
    std::iota(result.begin(), result.end(), first);
    return result;
}

std::vector<std::size_t> joined(std::vector<std::size_t> a, const std::vector<std::size_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// The symbols of a block, and the share of its matches in percent.
struct Shape {
    const char* name;
    std::vector<std::size_t> literals_and_lengths, distances;
    unsigned matches;
};
std::vector<Shape> shapes() {
    return {
        {"all symbols", numbers(0, 285), numbers(0, 29), 50},
        {"a noisy volume: short matches far away", joined(numbers(0, 80), numbers(256, 260)), numbers(24, 29), 80},
        {"near matches", joined(numbers(60, 64), numbers(256, 285)), numbers(0, 9), 60},
        {"few literals", numbers(97, 100), numbers(0, 29), 0},
        {"few literals and long matches", joined(numbers(97, 99), {256, 283, 284, 285}), numbers(6, 29), 30},
        {"one distance", joined(numbers(0, 5), numbers(256, 270)), {11}, 50},
        {"one distance without extra bits", joined(numbers(0, 5), numbers(256, 270)), {0}, 50},
    };
}

std::string stream_of(const Shape& shape, std::mt19937& random, int skew, int count) {
    const auto used = shape.literals_and_lengths.back() < 256 ? joined(shape.literals_and_lengths, {256}) : shape.literals_and_lengths;
    const Code litlen = random_code(random, 286, used, skew), distance = random_code(random, 30, shape.distances, skew);
    return random_stream(random, litlen, distance, count, shape.matches);
}

/// Decodes a stream and compares the result with zlib. @return whether the stream is valid
bool is_valid(const std::string& stream, const std::string& window) {
    const auto expected = inflated_by_zlib(stream, window);
    const auto bytes = decode(stream, bytes_of(window), 300'000);
    REQUIRE(bytes.valid == expected.has_value());
    if (expected) CHECK((bytes.elements == bytes_of(*expected)));
    return bytes.valid;
}

}  // namespace

TEST_CASE("blocks with random codes, also with code words of 15 bits, give what zlib gives") {
    std::mt19937 random(1);
    for (const Shape& shape : shapes())
        for (int i = 0; i < 12; ++i) {
            CAPTURE(shape.name);
            CAPTURE(i);
            const std::string stream = stream_of(shape, random, i % 2, i < 6 ? 40 << i : 3000);
            REQUIRE(inflated_by_zlib(stream, noise(window_bytes)));
            check_stream(stream);
        }
}

TEST_CASE("a block can be decoded up to a reserve of input, and later to its end") {
    std::mt19937 random(2);
    for (const std::size_t reserve : {1, 9, 500})
        for (const Shape& shape : shapes()) {
            CAPTURE(shape.name);
            CAPTURE(reserve);
            check_stream(stream_of(shape, random, 1, 2000), reserve);
        }
}

TEST_CASE("a block that is truncated at any byte is refused, and what was decoded is the start of the content") {
    std::mt19937 random(3);
    const std::string window = noise(window_bytes);
    for (const Shape& shape : shapes()) {
        CAPTURE(shape.name);
        const std::string stream = stream_of(shape, random, 1, 150);
        const auto all = decode(stream, bytes_of(window), 300'000).elements;
        REQUIRE(!all.empty());
        for (std::size_t size = 0; size < stream.size(); ++size) {
            CAPTURE(size);
            const auto bytes = decode(stream.substr(0, size), bytes_of(window), 300'000);
            const auto marks = decode(stream.substr(0, size), unknown_window(), 300'000);
            CHECK_FALSE(bytes.valid);
            CHECK_FALSE(marks.valid);
            REQUIRE(bytes.elements.size() <= all.size());
            CHECK(std::equal(bytes.elements.begin(), bytes.elements.end(), all.begin()));
            CHECK((resolved(marks.elements, window) == bytes.elements));
        }
    }
}

TEST_CASE("a flipped bit gives what zlib gives, or is refused as by zlib") {
    std::mt19937 random(4);
    int refused = 0, accepted = 0;
    for (const Shape& shape : shapes())
        for (int i = 0; i < 60; ++i) {
            CAPTURE(shape.name);
            CAPTURE(i);
            std::string stream = stream_of(shape, random, i % 2, 200);
            const std::size_t bit = random() % (8 * stream.size());
            stream[bit / 8] = char(stream[bit / 8] ^ 1 << bit % 8);
            const std::string window = noise(window_bytes);
            ++(is_valid(stream, window) ? accepted : refused);
        }
    CHECK(refused > 20);
    CHECK(accepted > 20);
}

TEST_CASE("a distance beyond the bytes that exist is refused") {
    std::mt19937 random(5);
    int refused = 0, accepted = 0;
    for (const std::size_t before : {0, 1, 15, 16, 17, 40, 400, 30'000})
        for (const std::size_t last_distance : {5, 9, 12, 16, 29})
            for (int i = 0; i < 10; ++i) {
                CAPTURE(before);
                CAPTURE(last_distance);
                const Shape shape{"", joined(numbers(0, 20), numbers(256, 262)), numbers(0, last_distance), 10};
                const std::string stream = stream_of(shape, random, i % 2, 30), window = noise(before);
                ++(is_valid(stream, window) ? accepted : refused);
            }
    CHECK(refused > 50);
    CHECK(accepted > 50);
}
