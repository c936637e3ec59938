// Target for gzip files: one thread, several threads, and several threads with a wrong index must give the bytes of zlib.
#include "io/codecs/gzip/gzip.h"
#include "io/codecs/gzip/gzip_header.h"
#include "io/decoded/decoded_file.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <zlib.h>
#include <algorithm>
#include <optional>
#include <vector>

namespace voxcc::fuzz {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t most_raw = 1 << 22;

// Small chunks, so that a small file has about ten.
io::InflateThreads two_threads(std::size_t file_bytes) {
    return {.count = 2, .least_count = 2, .least_file_bytes = 0, .least_points = 1, .chunk_bytes = 48 + std::int64_t(file_bytes / 10)};
}

// Reads until `read` returns fewer bytes than its room. @return empty if the content is longer than most_raw
template <class Read>
std::optional<Bytes> read_to_end(std::size_t step, Read&& read) {
    Bytes raw;
    for (std::size_t got = step; got == step;) {
        const std::size_t size = raw.size();
        if (size > most_raw) return std::nullopt;
        raw.resize(size + step);
        got = read(std::span(raw).subspan(size));
        raw.resize(size + got);
    }
    return raw;
}

std::optional<Bytes> read_gzip(const std::string& path, std::size_t window, std::size_t step, const io::InflateThreads& on = {}) {
    const io::InputFile file(path);
    io::GzipReader reader(file, window, on);
    return read_to_end(step, [&](std::span<std::byte> to) { return reader.read_some(to); });
}

// What zlib makes of a file. Empty `all`: the file is not valid, or too long.
struct ByZlib {
    std::optional<Bytes> first_member, all;
};
ByZlib read_with_zlib(Input input) {
    ByZlib result;
    static Bytes raw(most_raw + 1);
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return result;
    stream.next_in = const_cast<Bytef*>(input.data()), stream.avail_in = uInt(input.size());  // zlib does not write to its input
    stream.next_out = reinterpret_cast<Bytef*>(raw.data()), stream.avail_out = uInt(raw.size());
    bool valid = false;
    do {
        valid = inflate(&stream, Z_FINISH) == Z_STREAM_END;
        const Bytes read(raw.begin(), raw.end() - stream.avail_out);
        if (valid && !result.first_member) result.first_member = read;
        if (valid && stream.avail_in == 0) result.all = read;
    } while (valid && stream.avail_in > 0 && inflateReset(&stream) == Z_OK);
    inflateEnd(&stream);
    return result;
}

// GzipReader inflates again if the threads fail. This function does not, so it shows whether they fail.
void check_threads_alone(const std::string& path, const Bytes& first_member) {
    const io::InputFile file(path);
    const auto header = io::read_gzip_header(file);
    if (!header) return;
    const io::InflateThreads threads = two_threads(std::size_t(file.size()));
    io::inflating::ParallelInflate inflate(file, header->end, {threads.count, threads.chunk_bytes, header->restart_points});
    const auto raw = read_to_end(1 << 14, [&](std::span<std::byte> to) { return inflate.read_some(to); });
    if (!raw || raw->size() > first_member.size() || !std::equal(raw->begin(), raw->end(), first_member.begin()))
        fault("threads alone give other bytes than zlib");
    if (inflate.rest()) return;
    if (!inflate.end() || !io::ends_with(file, *inflate.end())) fault("threads alone do not reach the end of a valid stream");
}

// Adds an index to a file without optional fields. Its points are anywhere, because nothing in an index may be trusted.
std::vector<std::uint8_t> with_wrong_index(Input input) {
    constexpr std::size_t header = 10, most_points = 20;
    std::vector<std::uint8_t> points;
    for (std::size_t i = 0; i < most_points; ++i) {
        const unsigned distance = input[input.size() * i / most_points] % 200u;
        for (const unsigned byte : {distance, 0u, 0u, 0u, 0u, 0u, 1u, 0u}) points.push_back(std::uint8_t(byte));
    }
    const std::size_t content = 8 + points.size();
    std::vector<std::uint8_t> file(input.begin(), input.begin() + header);
    file[3] = 4;
    for (const std::size_t byte : {content + 4, std::size_t{0}, std::size_t{'V'}, std::size_t{'X'}, content, std::size_t{0}, most_points})
        file.push_back(std::uint8_t(byte));
    file.insert(file.end(), 7, 0);
    file.insert(file.end(), points.begin(), points.end());
    file.insert(file.end(), input.begin() + header, input.end());
    return file;
}

// @param expected empty: the file must be refused
void check_threads(const std::string& path, const std::optional<Bytes>& expected) {
    std::optional<Bytes> raw;
    const auto size = std::size_t(io::InputFile(path).size());
    const bool accepted = accepts([&] { raw = read_gzip(path, 1 << 13, 1 << 14, two_threads(size)); });
    if (accepted != expected.has_value()) fault("threads accept what one thread refuses, or the reverse");
    if (raw != expected) fault("threads give other bytes");
}

void check_windows_and_offsets(const std::string& path, const Bytes& raw) {
    if (read_gzip(path, 64, 1000) != raw) fault("a small window gives other bytes");
    io::DecodedFile file(path);
    Bytes again(raw.size() / 2);
    file.read(std::int64_t(raw.size() - again.size()), again);
    if (!std::equal(again.begin(), again.end(), raw.end() - std::ptrdiff_t(again.size()))) fault("an offset gives other bytes");
    file.verify_rest();
}

void run_gzip(Input input) {
    const std::string path = put_scratch("x.gz", input);
    std::optional<Bytes> raw;
    const bool accepted = accepts([&] { raw = read_gzip(path, 1 << 13, 1 << 14); });
    if (accepted && !raw) return;  // too long
    const ByZlib zlib = read_with_zlib(input);
    if (zlib.all && raw != zlib.all) fault("zlib gives other bytes");
    check_threads(path, raw);
    if (zlib.first_member) check_threads_alone(path, *zlib.first_member);
    // These take as long as the checks before, so only some inputs get them.
    const unsigned drawn = crc32(0, input.data(), uInt(input.size())) % 4;
    if (drawn == 0 && input.size() > 10 && input[3] == 0) check_threads(put_scratch("index.gz", with_wrong_index(input)), raw);
    if (drawn == 1 && raw && !raw->empty()) check_windows_and_offsets(path, *raw);
}

const Registered gzip({.name = "gzip", .run = run_gzip, .longest = 8192, .mutate = mutate_gzip});

}  // namespace
}  // namespace voxcc::fuzz
