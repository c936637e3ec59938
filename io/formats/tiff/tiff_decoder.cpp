#include "io/formats/tiff/tiff_decoder.h"

#include "io/failed_allocation.h"
#include "io/formats/tiff/tiff_codecs.h"
#include "io/formats/tiff/tiff_predictor.h"
#include "io/samples.h"

#include <libdeflate.h>
#include <algorithm>
#include <new>

namespace voxcc::io {
namespace {

[[noreturn]] void fail(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk) {
    tiff.fail(page.chunk_name(chunk) + " is truncated or corrupt");
}

// Converts decoded bytes to samples in host byte order: undoes the predictor and the byte order of the file.
void restore_samples(const TiffHandle& tiff, const TiffPage& page, std::span<std::byte> rows) {
    const PredictedRows layout{page.chunk_row_bytes(), page.samples.bits / 8, page.interleaved};
    if (page.predictor == PREDICTOR_FLOATINGPOINT) return undo_byte_differences(rows, layout);
    if (TIFFIsByteSwapped(tiff.get()) && !page.samples.is_packed()) swap_samples(rows, layout.sample_bytes);
    if (page.predictor == PREDICTOR_HORIZONTAL) undo_differences(rows, layout);
}

}  // namespace

void TiffDecoder::Free::operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }

TiffDecoder::TiffDecoder() : decompressor_(libdeflate_alloc_decompressor()) {
    if (!decompressor_) throw std::bad_alloc();
}

void TiffDecoder::read_stored(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk) {
    stored_.resize(std::size_t(TIFFGetStrileByteCount(tiff.get(), std::uint32_t(chunk))));
    tiff.file().read(std::int64_t(TIFFGetStrileOffset(tiff.get(), std::uint32_t(chunk))), stored_);
    if (page.fill_order == FILLORDER_LSB2MSB) TIFFReverseBits(reinterpret_cast<std::uint8_t*>(stored_.data()), tmsize_t(stored_.size()));
}

// libdeflate compares the Adler-32 checksum. It accepts bytes after the end of the stream, which are padding. Some programs store the last
// strip of a page with the rows of a full strip; a stream longer than a full strip is corrupt.
TiffDecoder::Inflated TiffDecoder::inflate(const TiffPage& page, std::span<std::byte> to) {
    const auto result = libdeflate_zlib_decompress(decompressor_.get(), stored_.data(), stored_.size(), to.data(), to.size(), nullptr);
    if (result == LIBDEFLATE_SUCCESS) return Inflated::intact;
    const auto complete = std::size_t(page.chunk_ny * page.chunk_row_bytes());
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE || complete <= to.size()) return Inflated::corrupt;
    complete_.resize(complete);
    std::size_t bytes = 0;
    if (libdeflate_zlib_decompress(decompressor_.get(), stored_.data(), stored_.size(), complete_.data(), complete, &bytes) !=
            LIBDEFLATE_SUCCESS ||
        bytes < to.size())
        return Inflated::corrupt;
    std::copy_n(complete_.begin(), to.size(), to.begin());
    return Inflated::intact;
}

void TiffDecoder::decode(const TiffHandle& tiff, const TiffPage& page, std::int64_t chunk, std::span<std::byte> to) {
    if (is_deflate(page.compression)) {
        read_stored(tiff, page, chunk);
        if (inflate(page, to) == Inflated::corrupt) fail(tiff, page, chunk);
        return restore_samples(tiff, page, to);
    }
    if (is_isolated(page.compression)) return process_.decode(tiff, page, chunk, to);
    forget_failed_allocations();
    const auto read = page.layout == TiffLayout::tiles ? TIFFReadEncodedTile : TIFFReadEncodedStrip;
    if (read(tiff.get(), std::uint32_t(chunk), to.data(), tmsize_t(to.size())) != tmsize_t(to.size())) fail(tiff, page, chunk);
}

}  // namespace voxcc::io
