#include "io/formats/tiff/codec_process.h"

#include "io/formats/tiff/tiff_codecs.h"

#include <algorithm>
#include <vector>

namespace voxcc::io {
namespace {

constexpr std::int64_t copies_of_file = 2, copies_of_strip = 4;  // in memory, at most
constexpr std::int64_t decoded_per_second = 10'000'000;          // bytes: a tenth of the speed of the slowest codec

/// A strip or tile.
struct Request {
    std::uint64_t directory;  // offset of the page in the file
    TiffPage page;
    std::int64_t chunk;
};

// Bytes of a decoded strip or tile.
std::int64_t bytes_of(const TiffPage& page, std::int64_t chunk) {
    return page.rows_of_chunk(page.chunks_above(chunk)) * page.chunk_row_bytes();
}

// ---- child process

// libtiff accepts G4 data that end too early: the row with the end becomes white, and later rows are not written. The strip is therefore
// decoded again with one more row. Nothing is written to this row if a row before it is missing.
bool has_all_rows(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::size_t rows) {
    const auto row_bytes = std::size_t(page.chunk_row_bytes());
    for (const auto unwritten : {std::byte{0xFF}, std::byte{0}}) {  // a further row that is stored can have either value
        std::vector<std::byte> stored(std::size_t(TIFFGetStrileByteCount(tiff.get(), std::uint32_t(chunk))));
        tiff.file().read(std::int64_t(TIFFGetStrileOffset(tiff.get(), std::uint32_t(chunk))), stored);
        std::vector<std::byte> decoded((rows + 1) * row_bytes, unwritten);
        TIFFReadFromUserBuffer(tiff.get(), std::uint32_t(chunk), stored.data(), tmsize_t(stored.size()), decoded.data(),
                               tmsize_t(decoded.size()));
        const auto last = std::span(decoded).last(row_bytes);
        if (std::ranges::any_of(last, [&](std::byte byte) { return byte != unwritten; })) return true;
    }
    return false;
}

// Some programs store the last strip of a page with the rows of a full strip. libtiff decodes the rows of the page.
bool is_harmless(const std::string& message) { return message.starts_with("JPEG strip size exceeds expected dimensions"); }

void decode_with_libtiff(TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::span<std::byte> to) {
    tiff.forget_messages();
    const auto read = page.layout == TiffLayout::tiles ? TIFFReadEncodedTile : TIFFReadEncodedStrip;
    const auto bytes = tmsize_t(to.size());
    const bool is_intact =
        read(tiff.get(), std::uint32_t(chunk), to.data(), bytes) == bytes && std::ranges::all_of(tiff.messages(), is_harmless);
    if (!is_intact ||
        (page.compression == COMPRESSION_CCITTFAX4 && !has_all_rows(tiff, page, chunk, to.size() / std::size_t(page.chunk_row_bytes()))))
        tiff.fail(page.chunk_name(chunk) + " is truncated or corrupt");
}

void answer(Channel& channel, TiffHandle& tiff, const Request& request, std::vector<std::byte>& decoded) {
    const TiffPage& page = request.page;
    const std::int64_t bytes = bytes_of(page, request.chunk);
    if (TIFFCurrentDirOffset(tiff.get()) != request.directory) tiff.select_directory(request.directory);
    if (page.samples.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    decoded.resize(std::size_t(bytes));
    decode_with_libtiff(tiff, page, request.chunk, decoded);
    put_done(channel);
    channel.send(decoded);
}

void serve(Channel& channel, const TiffHandle& of_parent) {
    TiffHandle tiff = of_parent.reopened();
    std::vector<std::byte> decoded;
    for (;;) answer(channel, tiff, channel.get<Request>(), decoded);
}

}  // namespace

void TiffCodecProcess::decode(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::span<std::byte> to) {
    if (!child_)
        child_ = std::make_unique<ChildProcess>(tiff.file().path(), ChildLimits(), ChildInputs{tiff.file().descriptor(), {}},
                                                [&tiff](Channel& channel) { serve(channel, tiff); });
    const std::int64_t bytes = bytes_of(page, chunk);
    child_->allow(ChildLimits::base_memory + copies_of_file * tiff.file().size() + copies_of_strip * bytes,
                  ChildLimits().processor_seconds + int(std::min(bytes / decoded_per_second, std::int64_t{1} << 30)));
    try {
        child_->ask([&](Channel& channel) {
            channel.put(Request{TIFFCurrentDirOffset(tiff.get()), page, chunk});
            expect_done(channel);
            channel.receive(to);
        });
    } catch (...) {
        child_.reset();  // it has ended, or does not answer
        throw;
    }
}

}  // namespace voxcc::io
