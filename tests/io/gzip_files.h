// Functions that read and write gzip files for tests.
#pragma once
#include "io/codecs/gzip/gzip.h"
#include "tests/io/files.h"

#include <zlib.h>

namespace voxcc::test {

// A gzip member written by zlib, as an independent reference.
struct ZlibChoice {
    int flush = Z_NO_FLUSH, level = 6, strategy = Z_DEFAULT_STRATEGY;
    int memory = 8;  // 1 to 9; a block has 2^(memory + 6) symbols
};
inline std::string zlib_member(const std::string& raw, const ZlibChoice& choice = {}) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, choice.level, Z_DEFLATED, 15 + 16, choice.memory, choice.strategy) == Z_OK);
    std::string out(raw.size() + raw.size() / 10 + 1000, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = unsigned(out.size());
    for (std::size_t at = 0; at < raw.size(); at += 5000) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data() + at));
        stream.avail_in = unsigned(std::min<std::size_t>(5000, raw.size() - at));
        REQUIRE(deflate(&stream, choice.flush) == Z_OK);
    }
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::string zlib_inflated(const std::string& member) {
    z_stream stream{};
    REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
    std::string out(std::size_t{1} << 24, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.data()));
    stream.avail_in = unsigned(member.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = unsigned(out.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    CHECK(stream.avail_in == 0);  // the member ends at the end of the data
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

inline std::string read_all(io::GzipReader& reader, std::size_t step) {
    std::string all, piece(step, '\0');
    for (;;) {
        const std::size_t got = reader.read_some(std::as_writable_bytes(std::span(piece)));
        all.append(piece, 0, got);
        if (got < step) return all;
    }
}

inline std::string read_all(const std::string& path, std::size_t step = 4096, std::size_t window = 1 << 18,
                            const io::InflateThreads& threads = {}) {
    const io::InputFile file(path);
    io::GzipReader reader(file, window, threads);
    return read_all(reader, step);
}

// @param expected decompressed bytes that the writer is told in advance
inline std::string written(const std::string& raw, int level, std::size_t block, std::int64_t expected = 0) {
    const TemporaryFolder folder;
    io::OutputFiles outputs(io::Overwrite::refuse, {});
    io::OutputFile& file = outputs.create(folder / "x.gz");
    io::GzipMemberWriter writer(file, expected);
    for (std::size_t at = 0; at < raw.size(); at += block)
        writer.append(io::encode_gzip_block(std::as_bytes(std::span(raw).subspan(at, std::min(block, raw.size() - at))), level));
    writer.finish();
    file.close();
    outputs.publish();
    return content_of(folder / "x.gz");
}

}  // namespace voxcc::test
