// ParallelInflate without GzipReader, which would hide a failure because it inflates again with one thread. And files that change.
#include "io/gzip_header.h"
#include "tests/io/gzip_contents.h"
#include "tests/io/gzip_files.h"

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

std::string read_all(inflating::ParallelInflate& inflate, std::size_t step) {
    std::string all, piece(step, '\0');
    for (std::size_t got = step; got == step;) {
        got = inflate.read_some(std::as_writable_bytes(std::span(piece)));
        all.append(piece, 0, got);
    }
    return all;
}

void check_complete(const std::string& path, const std::string& raw) {
    const InputFile file(path);
    const auto header = read_gzip_header(file);
    REQUIRE(header);
    for (const int threads : {1, 3}) {
        CAPTURE(threads);
        inflating::ParallelInflate inflate(file, header->end, {threads, 5000, header->restart_points});
        CHECK((read_all(inflate, 30'011) == raw));
        REQUIRE(inflate.end());
        CHECK(inflate.end()->content.raw_bytes == std::int64_t(raw.size()));
        CHECK(inflate.end()->content.crc == crc32(0, reinterpret_cast<const Bytef*>(raw.data()), unsigned(raw.size())));
        CHECK(inflate.end()->byte + gzip_trailer_bytes == file.size());
        CHECK(ends_with(file, *inflate.end()));
    }
}

constexpr InflateThreads three_threads{.count = 3, .least_count = 2, .least_file_bytes = 0, .chunk_bytes = 4096};

// Reads a part of a file with threads, calls `change`, and reads the rest. @return the kind of the error
template <class Change>
std::optional<ErrorKind> kind_after(const std::string& path, Change&& change) {
    const InputFile file(path);
    GzipReader reader(file, 1 << 18, three_threads);
    std::string start(100'000, '\0');
    reader.read(std::as_writable_bytes(std::span(start)));
    change();
    return kind_of([&] { reader.drain(); });
}

}  // namespace

TEST_CASE("threads alone reach the end of every valid stream, with its CRC and length") {
    const TemporaryFolder folder;
    for (const std::string& raw : {image(700'000), labels(700'000), text_of_words(700'000), noise(300'000), std::string(900'000, '\0')}) {
        for (const int level : {0, 1, 6, 9}) {
            CAPTURE(level);
            put_file(folder / "x.gz", zlib_member(raw, {.level = level}));
            check_complete(folder / "x.gz", raw);
        }
        for (const int strategy : {Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE}) {
            CAPTURE(strategy);
            put_file(folder / "x.gz", zlib_member(raw, {.strategy = strategy}));
            check_complete(folder / "x.gz", raw);
        }
    }
    const std::string raw = labels(9'000'000);
    for (const int level : {0, 1, 3}) {
        CAPTURE(level);
        put_file(folder / "x.gz", written(raw, level, 1 << 20, std::int64_t(raw.size())));
        check_complete(folder / "x.gz", raw);
    }
}

TEST_CASE("a file that changes while threads read it is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    put_file(path, zlib_member(image(4'000'000, 1)));
    const std::string other = zlib_member(image(4'000'000, 2));
    const auto overwrite = [&] {
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file << other;
    };
    CHECK(kind_after(path, overwrite) == ErrorKind::changed_file);
}

TEST_CASE("a file that becomes shorter while threads read it is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    for (const std::string& raw : {image(4'000'000), noise(4'000'000)}) {
        put_file(path, zlib_member(raw));
        CHECK(kind_after(path, [&] { std::filesystem::resize_file(path, 900'000); }) == ErrorKind::truncated_file);
    }
}
