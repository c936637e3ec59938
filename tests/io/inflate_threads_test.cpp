#include "io/codecs/gzip/gzip_header.h"
#include "io/decoded/decoded_file.h"
#include "tests/io/gzip_contents.h"
#include "tests/io/gzip_files.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// Small chunks, so that a small file has many.
InflateThreads threads(int count, std::int64_t chunk_bytes = 4096) {
    return {.count = count, .least_count = 2, .least_file_bytes = 0, .least_points = 1, .chunk_bytes = chunk_bytes};
}

std::vector<std::string> contents() {
    return {image(1'500'000), labels(1'500'000), text_of_words(1'500'000), noise(400'000), std::string(3'000'000, '\0')};
}

// What reading with threads returns, or the kind of the error.
struct Outcome {
    std::string read;
    std::optional<ErrorKind> kind;
    bool operator==(const Outcome&) const = default;
};
Outcome outcome(const std::string& path, const InflateThreads& threads) {
    Outcome result;
    result.kind = kind_of([&] { result.read = read_all(path, 10'007, 1 << 18, threads); });
    return result;
}

void check_equal(const std::string& path, const std::string& file, const std::string& raw) {
    put_file(path, file);
    for (const int count : {2, 5})
        for (const std::int64_t chunk_bytes : {3'000, 30'000, 1 << 17}) {
            CAPTURE(count);
            CAPTURE(chunk_bytes);
            for (const std::size_t step : {std::size_t{10'007}, std::size_t{1} << 22})
                CHECK((read_all(path, step, 1 << 18, threads(count, chunk_bytes)) == raw));
        }
}

}  // namespace

TEST_CASE("threads inflate what zlib wrote, for all levels and strategies") {
    const TemporaryFolder folder;
    for (const std::string& raw : contents()) {
        for (int level = 0; level <= 9; ++level) {
            CAPTURE(level);
            check_equal(folder / "x.gz", zlib_member(raw, {.level = level}), raw);
        }
        check_equal(folder / "x.gz", zlib_member(raw, {.memory = 1}), raw);
        for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE})
            check_equal(folder / "x.gz", zlib_member(raw, {.strategy = strategy}), raw);
        for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK})
            check_equal(folder / "x.gz", zlib_member(raw, {.flush = flush}), raw);
    }
}

TEST_CASE("threads inflate several members, empty members and mixed kinds of blocks") {
    const TemporaryFolder folder;
    const std::string a = image(300'000), b = text_of_words(200'000), empty = zlib_member("");
    check_equal(folder / "x.gz", zlib_member(a) + zlib_member(b), a + b);
    check_equal(folder / "x.gz", empty + zlib_member(a) + empty + empty, a);
    check_equal(folder / "x.gz", empty, "");
    check_equal(folder / "x.gz", zlib_member("x"), "x");
    const std::string mixed = a + noise(200'000) + b + std::string(2'000'000, 'z') + a;
    for (const int level : {1, 6}) check_equal(folder / "x.gz", zlib_member(mixed, {.level = level}), mixed);
}

TEST_CASE("threads inflate data that refer far back again and again") {
    // Every byte after the first 32 kB is a copy, so markers of the unknown window never end.
    const std::string once = noise(32'000);
    std::string raw;
    for (int i = 0; i < 60; ++i) raw += once + std::string(1, char(i));
    const TemporaryFolder folder;
    for (const int level : {1, 9}) check_equal(folder / "x.gz", zlib_member(raw, {.level = level}), raw);
}

TEST_CASE("threads inflate content that expands by a factor of 1000") {
    const std::string raw = std::string(40'000'000, '\0') + image(200'000) + std::string(40'000'000, '\1') + noise(50'000);
    const TemporaryFolder folder;
    put_file(folder / "x.gz", zlib_member(raw, {.level = 9}));
    CHECK((read_all(folder / "x.gz", 1 << 20, 1 << 18, threads(3, 1 << 20)) == raw));
    CHECK((read_all(folder / "x.gz", 1 << 20, 1 << 18, threads(3, 1 << 12)) == raw));
}

TEST_CASE("threads read a header with name, comment and foreign extra field") {
    const TemporaryFolder folder;
    const std::string raw = image(200'000);
    std::string file = zlib_member(raw);
    file[3] = 4 | 8 | 16;
    using namespace std::string_literals;
    file.insert(10, "\x07\0AB\x03\0xyz"s + "name\0"s + "comment\0"s);
    check_equal(folder / "x.gz", file, raw);
}

TEST_CASE("after a rewind, threads begin again, and offsets count decompressed bytes") {
    const TemporaryFolder folder;
    const std::string raw = image(900'000);
    put_file(folder / "x.gz", zlib_member(raw));
    DecodedFile file(folder / "x.gz");
    file.inflate_on(threads(3));
    std::string piece(5000, '\0');
    for (const std::size_t offset : {std::size_t{352}, std::size_t{700'000}, std::size_t{1000}, std::size_t{895'000}}) {
        file.read(std::int64_t(offset), std::as_writable_bytes(std::span(piece)));
        CHECK(piece == raw.substr(offset, piece.size()));
    }
    CHECK(file.verify_rest() == 900'000);
}

TEST_CASE("files below the limit and one thread need no memory for threads") {
    const TemporaryFolder folder;
    put_file(folder / "x.gz", zlib_member(image(100'000)));
    const DecodedFile file(folder / "x.gz");
    CHECK(file.inflate_bytes({.count = 8}) == 0);
    CHECK(file.inflate_bytes(threads(1)) == 0);
    for (const int count : {2, 8, 64}) {
        CHECK(file.inflate_bytes(threads(count)) > count * std::int64_t{1 << 20});
        CHECK(file.inflate_bytes(threads(count)) <= std::int64_t{64 + 8 * count} << 20);
    }
}

TEST_CASE("the points of the index decide whether threads pay, not the compressed size") {
    const TemporaryFolder folder;
    const auto bytes_for_two = [&](std::size_t size) {
        put_file(folder / "x.gz", written(std::string(size, '\1'), 1, 1 << 20, std::int64_t(size)));
        return DecodedFile(folder / "x.gz").inflate_bytes({.count = 2});
    };
    CHECK(bytes_for_two(33 << 20) > 0);
    CHECK(bytes_for_two(31 << 20) == 0);
}

TEST_CASE("a file truncated anywhere is refused with threads as without") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", first = zlib_member(image(120'000), {.memory = 2});
    const std::string whole = first + zlib_member(text_of_words(2000));
    const std::size_t first_member = first.size();
    for (std::size_t size = 20; size < whole.size(); size += size + 40 < whole.size() ? 997 : 1) {
        if (size == first_member) continue;
        CAPTURE(size);
        put_file(path, whole.substr(0, size));
        const auto with = kind_of([&] { read_all(path, 10'007, 1 << 18, threads(3, 2000)); });
        CHECK(about_content(with));
        CHECK(with == kind_of([&] { read_all(path); }));
    }
    put_file(path, zlib_member(image(120'000)) + "garbage");
    CHECK(kind_of([&] { read_all(path, 10'007, 1 << 18, threads(3)); }) == ErrorKind::corrupt_file);
}

TEST_CASE("a flipped bit anywhere gives an error or the same bytes with threads") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", raw = image(60'000), whole = zlib_member(raw, {.memory = 2});
    int harmless = 0;
    for (std::size_t at = 0; at < whole.size(); at += at < 120 || at + 40 > whole.size() ? 1 : 61) {
        CAPTURE(at);
        std::string flipped = whole;
        flipped[at] = char(flipped[at] ^ (1 << at % 8));
        put_file(path, flipped);
        const Outcome with = outcome(path, threads(2, 2000));
        CHECK(with.kind == outcome(path, {}).kind);
        if (with.kind) CHECK(is_about_content(*with.kind));
        else CHECK((with.read == raw));
        harmless += with.kind ? 0 : 1;
        if (at + 8 >= whole.size()) CHECK(with.kind == ErrorKind::corrupt_file);
    }
    CHECK(harmless < 20);  // name, time and system of the header; padding
}

TEST_CASE("the index: from 8 MiB on, one member that zlib reads, and the same bytes with threads") {
    const TemporaryFolder folder;
    const std::string raw = labels(9'000'000);
    const std::string file = written(raw, 1, 1 << 20, std::int64_t(raw.size()));
    CHECK((file[3] & 4) != 0);
    put_file(folder / "x.gz", file);
    CHECK((read_all(folder / "x.gz") == raw));
    CHECK((zlib_inflated(file) == raw));
    check_equal(folder / "x.gz", file, raw);
    // Blocks of 1 MiB, and a point at the first block from 4 MiB on.
    const InputFile input(folder / "x.gz");
    const auto header = read_gzip_header(input);
    REQUIRE(header);
    REQUIRE(header->restart_points.size() == 2);
    std::string parts = written(raw.substr(0, 4 << 20), 1, 1 << 20), two = written(raw.substr(0, 8 << 20), 1, 1 << 20);
    CHECK(header->restart_points[0] - header->end == std::int64_t(parts.size()) - 20);
    CHECK(header->restart_points[1] - header->end == std::int64_t(two.size()) - 20);
    CHECK((written(raw.substr(0, 100'000), 1, 1 << 20, 100'000)[3] & 4) == 0);
}

TEST_CASE("the index of a large member is thinned out to the longest extra field") {
    GzipIndex index(std::int64_t{1} << 40);
    CHECK(index.field_bytes() <= 65537);
    for (std::int64_t block = 0; block < 1 << 20; ++block) index.add(block * 100'000, block << 20);
    const auto field = index.field();
    CHECK(field.size() == index.field_bytes());
    CHECK(field.size() > 60'000);
    std::uint64_t points = 0;
    std::memcpy(&points, field.data() + 6, 8);
    CHECK(points > 8000);
    CHECK(GzipIndex(8'000'000).field_bytes() == 0);
}

TEST_CASE("a wrong index gives the same bytes") {
    const TemporaryFolder folder;
    const std::string raw = labels(9'000'000), file = written(raw, 1, 1 << 20, std::int64_t(raw.size()));
    put_file(folder / "x.gz", file);
    const auto header = read_gzip_header(InputFile(folder / "x.gz"));
    REQUIRE(header);
    for (std::size_t at = 10; at < std::size_t(header->end); ++at) {
        CAPTURE(at);
        std::string changed = file;
        changed[at] = char(changed[at] ^ (1 << at % 8));
        put_file(folder / "x.gz", changed);
        const Outcome with = outcome(folder / "x.gz", threads(3));
        CHECK(with.kind == outcome(folder / "x.gz", {}).kind);
        if (!with.kind) CHECK((with.read == raw));
    }
}
