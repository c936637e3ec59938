#include "io/decoded/decoded_file.h"
#include "tests/io/gzip_contents.h"
#include "tests/io/gzip_files.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

TEST_CASE("gzip: every kind of stream is read, with any step and window size") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", raw = labels(200'000);
    const std::string empty = zlib_member("");
    std::string named = zlib_member("named");
    named[3] = 8;  // with a file name
    named.insert(10, std::string("a name\0", 7));
    const std::vector<std::pair<std::string, std::string>> streams{
        {zlib_member(raw), raw},
        {zlib_member(raw, {.flush = Z_SYNC_FLUSH}), raw},
        {zlib_member(raw, {.flush = Z_FULL_FLUSH}), raw},
        {zlib_member(raw) + zlib_member(raw.substr(7)), raw + raw.substr(7)},
        {empty, ""},
        {empty + zlib_member(raw) + empty + empty, raw},
        {named + named, "namednamed"},
    };
    for (std::size_t i = 0; i < streams.size(); ++i) {
        CAPTURE(i);
        put_file(path, streams[i].first);
        for (const std::size_t window : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 18})
            for (const std::size_t step : {std::size_t{1}, std::size_t{333}, std::size_t{1} << 20}) {
                CAPTURE(window);
                CAPTURE(step);
                CHECK(read_all(path, step, window) == streams[i].second);
            }
    }
}

TEST_CASE("gzip: reading exactly, draining, rewinding") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", raw = labels(100'000);
    put_file(path, zlib_member(raw));
    const InputFile file(path);
    GzipReader reader(file);
    std::string piece(1000, '\0');
    for (int round = 0; round < 2; ++round) {
        reader.read(std::as_writable_bytes(std::span(piece)));
        CHECK(piece == raw.substr(0, 1000));
        reader.rewind();
    }
    reader.read(std::as_writable_bytes(std::span(piece)));
    CHECK(reader.drain() == 99'000);
    CHECK(reader.drain() == 0);
    CHECK(kind_of([&] { reader.read(std::as_writable_bytes(std::span(piece))); }) == ErrorKind::invalid_file);
    reader.rewind();
    CHECK(read_all(reader, 5000) == raw);
}

TEST_CASE("gzip: a stream truncated at any length is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", whole = zlib_member(labels(3000)) + zlib_member(labels(500));
    const std::size_t first_member = zlib_member(labels(3000)).size();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        if (size == first_member) continue;  // the first member alone is an intact file
        CAPTURE(size);
        put_file(path, whole.substr(0, size));
        CHECK(about_content(kind_of([&] { read_all(path); })));
    }
}

TEST_CASE("gzip: every flipped bit in data, CRC or length is harmless or an error") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz", raw = labels(2000), whole = zlib_member(raw);
    int harmless = 0;
    // The first 10 bytes are the header; its time, level and system are not used.
    for (std::size_t at = 10; at < whole.size(); ++at) {
        CAPTURE(at);
        std::string flipped = whole;
        flipped[at] = char(flipped[at] ^ (1 << at % 8));
        put_file(path, flipped);
        std::string read;
        const auto kind = kind_of([&] { read = read_all(path); });
        if (kind) CHECK(is_about_content(*kind));
        else CHECK(read == raw);  // for example padding, or the code length of a symbol that does not occur
        harmless += kind ? 0 : 1;
        if (at >= whole.size() - 8) CHECK(kind);
    }
    CHECK(harmless < 5);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        std::string flipped = whole;
        flipped[at] = char(flipped[at] ^ 1);
        put_file(path, flipped);
        CHECK(kind_of([&] { read_all(path); }) == ErrorKind::corrupt_file);
    }
}

TEST_CASE("gzip: zeros after the last member are counted, also beyond the buffer") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    const std::string member = zlib_member("content"), empty = zlib_member("");
    for (const std::size_t zeros : {0u, 1u, 100u, 5000u}) {
        put_file(path, member + empty + member + std::string(zeros, '\0'));
        const InputFile file(path);
        GzipReader reader(file, 64);
        CHECK(reader.drain() == 14);
        CHECK(reader.padding() == std::int64_t(zeros));
        reader.rewind();
        CHECK(reader.padding() == 0);
        put_file(path, member + std::string(zeros, '\0') + "x");
        CHECK(kind_of([&] { read_all(path); }) == ErrorKind::corrupt_file);
        put_file(path, member + std::string(zeros + 1, '\0') + member);  // zeros between members are not padding
        CHECK(kind_of([&] { read_all(path); }) == ErrorKind::corrupt_file);
    }
}

TEST_CASE("gzip: bytes after the last member are refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    for (const std::string& garbage : {std::string("x"), std::string("\0x", 2), std::string("garbage of many bytes")}) {
        put_file(path, zlib_member("content") + garbage);
        CHECK(kind_of([&] { read_all(path); }) == ErrorKind::corrupt_file);
    }
    put_file(path, zlib_member("content") + "garbage");
    CHECK(message_of([&] { read_all(path); }).find("not a gzip member") != std::string::npos);
}

TEST_CASE("gzip: the output is one member for every level and block size") {
    const std::string raw = labels(700'000);
    const TemporaryFolder folder;
    for (int level = 0; level <= 9; ++level)
        for (const std::size_t block : {std::size_t{65'537}, std::size_t{1} << 20}) {
            CAPTURE(level);
            CAPTURE(block);
            const std::string file = written(raw, level, block);
            CHECK(zlib_inflated(file) == raw);
            put_file(folder / "x.gz", file);
            CHECK(read_all(folder / "x.gz") == raw);
            if (level > 0) CHECK(file.size() < raw.size());
        }
    CHECK(zlib_inflated(written("", 1, 10)) == "");
    CHECK(zlib_inflated(written("one small block", 1, 100)) == "one small block");
    CHECK(written(raw, 1, 100'000) == written(raw, 1, 100'000));
}

TEST_CASE("gzip: incompressible noise, at every level") {
    std::mt19937 random(1);
    std::string noise(300'000, '\0');
    for (char& c : noise) c = char(random());
    for (int level = 0; level <= 9; ++level) CHECK(zlib_inflated(written(noise, level, 100'001)) == noise);
}

TEST_CASE("gzip or plain: detected from the content; offsets refer to uncompressed bytes") {
    const TemporaryFolder folder;
    const std::string raw = labels(50'000);
    put_file(folder / "plain.gz", raw);
    put_file(folder / "packed.raw", zlib_member(raw));
    put_file(folder / "empty", "");
    CHECK(kind_of([&] { DecodedFile(folder / "empty"); }) == ErrorKind::invalid_file);
    for (const std::string name : {"plain.gz", "packed.raw"}) {
        DecodedFile file(folder / name);
        CHECK(file.is_compressed() == (name == "packed.raw"));
        CHECK(file.longest_content() >= 50'000);
        std::string piece(100, '\0');
        for (const std::size_t offset : {std::size_t{40'000}, std::size_t{10}, std::size_t{10}, std::size_t{49'900}}) {
            file.read(std::int64_t(offset), std::as_writable_bytes(std::span(piece)));
            CHECK(piece == raw.substr(offset, 100));
        }
        CHECK(file.read_some(49'950, std::as_writable_bytes(std::span(piece))) == 50);
        CHECK(about_content(kind_of([&] { file.read(49'950, std::as_writable_bytes(std::span(piece))); })));
        CHECK(file.read_some(60'000, std::as_writable_bytes(std::span(piece))) == 0);
        file.verify_rest();
    }
}
