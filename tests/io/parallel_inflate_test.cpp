// ParallelInflate without GzipReader, which would hide a failure because it inflates again with one thread. And files that change.
#include "io/codecs/gzip/gzip_header.h"
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

enum class Reaches { end, end_or_rest };

void check_threads_alone(const std::string& path, const std::string& raw, Reaches reaches) {
    const InputFile file(path);
    const auto header = read_gzip_header(file);
    REQUIRE(header);
    for (const int threads : {1, 3}) {
        CAPTURE(threads);
        inflating::ParallelInflate inflate(file, header->end, {threads, 5000, header->restart_points});
        const std::string read = read_all(inflate, 30'011);
        CHECK((read == raw.substr(0, read.size())));
        CHECK(inflate.end().has_value() != inflate.rest().has_value());
        if (reaches == Reaches::end_or_rest && inflate.rest()) continue;
        REQUIRE(inflate.end());
        CHECK(inflate.end()->content.raw_bytes == std::int64_t(raw.size()));
        CHECK(inflate.end()->content.crc == crc32(0, reinterpret_cast<const Bytef*>(raw.data()), unsigned(raw.size())));
        CHECK(inflate.end()->byte + gzip_trailer_bytes == file.size());
        CHECK(ends_with(file, *inflate.end()));
    }
}

constexpr InflateThreads three_threads{.count = 3, .least_count = 2, .least_file_bytes = 0, .least_points = 1, .chunk_bytes = 4096};

// Reads `bytes` of a file with threads, calls `change`, and reads the rest. @return the kind of the error
template <class Change>
std::optional<ErrorKind> kind_after(const std::string& path, std::size_t bytes, Change&& change) {
    const InputFile file(path);
    GzipReader reader(file, 1 << 18, three_threads);
    std::string start(bytes, '\0');
    reader.read(std::as_writable_bytes(std::span(start)));
    change();
    return kind_of([&] { reader.drain(); });
}

}  // namespace

TEST_CASE("threads alone reach the end of streams of dynamic blocks, with their CRC and length") {
    const TemporaryFolder folder;
    for (const std::string& raw : {image(700'000), text_of_words(700'000)})
        for (const int level : {1, 6, 9}) {
            CAPTURE(level);
            put_file(folder / "x.gz", zlib_member(raw, {.level = level, .memory = 2}));
            check_threads_alone(folder / "x.gz", raw, Reaches::end);
        }
    const std::string raw = labels(9'000'000);
    for (const int level : {1, 3}) {
        CAPTURE(level);
        put_file(folder / "x.gz", written(raw, level, 1 << 20, std::int64_t(raw.size())));
        check_threads_alone(folder / "x.gz", raw, Reaches::end_or_rest);
    }
}

TEST_CASE("threads alone reach the end or a place to continue in streams that do not suit them") {
    const TemporaryFolder folder;
    for (const std::string& raw : {image(700'000), noise(300'000), std::string(900'000, '\0')})
        for (const ZlibChoice& choice :
             {ZlibChoice{.level = 0}, {.strategy = Z_FIXED}, {.strategy = Z_HUFFMAN_ONLY}, {.strategy = Z_RLE}}) {
            CAPTURE(choice.level);
            CAPTURE(choice.strategy);
            put_file(folder / "x.gz", zlib_member(raw, choice));
            check_threads_alone(folder / "x.gz", raw, Reaches::end_or_rest);
        }
}

TEST_CASE("one thread continues where threads do not pay, also inside a byte, and checks the CRC and the length") {
    // Dynamic blocks, so that threads start; then blocks whose starts cannot be found.
    const TemporaryFolder folder;
    const std::string raw = image(400'000) + noise(6'000'000) + image(400'000);
    const std::string file = zlib_member(raw);
    put_file(folder / "x.gz", file);
    CHECK((read_all(folder / "x.gz", 1 << 20, 1 << 18, three_threads) == raw));
    for (const std::size_t from_end : {std::size_t{1}, std::size_t{8}, std::size_t{3'000'000}}) {
        CAPTURE(from_end);
        std::string damaged = file;
        damaged[file.size() - from_end] = char(damaged[file.size() - from_end] ^ 1);
        put_file(folder / "x.gz", damaged);
        CHECK(kind_of([&] { read_all(folder / "x.gz", 1 << 20, 1 << 18, three_threads); }) == ErrorKind::corrupt_file);
    }
}

TEST_CASE("a file that changes while threads read it is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    std::string member = zlib_member(image(4'000'000, 1), {.memory = 2}), other = zlib_member(image(4'000'000, 2), {.memory = 2});
    if (other.size() < member.size()) std::swap(member, other);  // so that the trailer is overwritten, too
    const auto overwrite = [&] {
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file << other;
    };
    put_file(path, member);
    CHECK(about_content(kind_after(path, 100'000, overwrite)));
    // All blocks are decoded, but the trailer is not yet read. The new content is valid, so only the bytes that were returned differ.
    put_file(path, member);
    CHECK(kind_after(path, 3'999'990, overwrite) == ErrorKind::changed_file);
}

TEST_CASE("a file that becomes shorter while threads read it is refused") {
    const TemporaryFolder folder;
    const std::string path = folder / "x.gz";
    for (const std::string& raw : {image(4'000'000), noise(4'000'000)}) {
        put_file(path, zlib_member(raw));
        CHECK(kind_after(path, 100'000, [&] { std::filesystem::resize_file(path, 900'000); }) == ErrorKind::truncated_file);
    }
}
