#include "io/formats/tiff/tiff_rows.h"

#include "io/samples.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {

void TiffRows::read(std::int64_t page, RowRange rows, std::byte* to) {
    load_page(page);
    while (rows.count > 0) {
        const std::int64_t band = is_contiguous() ? 0 : rows.first / page_.chunk_ny;
        const std::int64_t end = is_contiguous() ? page_.samples.ny : std::min(page_.samples.ny, (band + 1) * page_.chunk_ny);
        const std::int64_t count = std::min(rows.count, end - rows.first);
        if (is_plain()) read_plain({rows.first, count}, to);
        else read_band(band, {rows.first - band * page_.chunk_ny, count}, to);
        to += count * voxel_row_bytes();
        rows = {rows.first + count, rows.count - count};
    }
}

void TiffRows::load_page(std::int64_t page) {
    if (page == page_number_) return;
    page_number_ = -1;
    band_number_ = -1;
    if (!is_contiguous() || directory_ != 0) {
        directory_ = is_contiguous() ? 0 : page;
        tiff_.select_directory(directories_[std::size_t(directory_)]);
        page_ = read_tiff_page(tiff_, directory_);
        if (page_.samples != pages_.first.samples) tiff_.fail("changed while it was read");
    }
    page_number_ = page;
}

// The first strip or tile of the sample.
std::int64_t TiffRows::first_chunk() const { return page_.planes() > 1 ? sample_ * page_.chunks_across() * page_.chunks_down() : 0; }

// Reads uncompressed rows, all of one strip.
void TiffRows::read_plain(RowRange rows, std::byte* to) {
    const auto bytes = std::size_t(rows.count * page_.row_bytes());
    if (is_one_to_one()) return read_stored(rows, {to, bytes});
    stored_.resize(bytes);
    read_stored(rows, stored_);
    convert_rows(stored_, to);
}

void TiffRows::read_stored(RowRange rows, std::span<std::byte> to) {
    const std::int64_t strip = is_contiguous() ? 0 : rows.first / page_.chunk_ny;
    if (page_.missing > 0 && is_missing_chunk(tiff_, first_chunk() + strip)) return void(std::ranges::fill(to, std::byte{}));
    const std::int64_t before = is_contiguous() ? page_number_ * page_.samples.ny + rows.first : rows.first - strip * page_.chunk_ny;
    const auto offset = std::int64_t(TIFFGetStrileOffset(tiff_.get(), std::uint32_t(first_chunk() + strip)));
    tiff_.file().read(offset + before * page_.row_bytes(), to);
    if (page_.fill_order == FILLORDER_LSB2MSB) TIFFReverseBits(reinterpret_cast<std::uint8_t*>(to.data()), tmsize_t(to.size()));
    if (TIFFIsByteSwapped(tiff_.get()) && !page_.samples.is_packed()) swap_samples(to, page_.samples.bits / 8);
}

// Reads rows of a band: one strip, or all tiles side by side.
void TiffRows::read_band(std::int64_t band, RowRange rows, std::byte* to) {
    const std::int64_t row_bytes = page_.row_bytes(), band_rows = page_.rows_of_chunk(band);
    if (page_.layout == TiffLayout::strips && is_one_to_one() && rows.count == band_rows)
        return decode(first_chunk() + band, {to, std::size_t(band_rows * row_bytes)});
    if (band != band_number_) {
        band_number_ = -1;
        band_.resize(std::size_t(band_rows * row_bytes));
        if (page_.layout == TiffLayout::tiles) decode_tiles(band);
        else decode(first_chunk() + band, band_);
        band_number_ = band;
    }
    convert_rows(std::span(band_).subspan(std::size_t(rows.first * row_bytes), std::size_t(rows.count * row_bytes)), to);
}

void TiffRows::decode(std::int64_t chunk, std::span<std::byte> to) {
    if (page_.missing > 0 && is_missing_chunk(tiff_, chunk)) return void(std::ranges::fill(to, std::byte{}));
    decoder_.decode(tiff_, page_, chunk, to);
}

void TiffRows::decode_tiles(std::int64_t band) {
    const std::int64_t row_bytes = page_.row_bytes(), tile_row_bytes = page_.chunk_row_bytes();
    tile_.resize(std::size_t(tile_row_bytes * page_.chunk_ny));
    for (std::int64_t across = 0; across < page_.chunks_across(); ++across) {
        decode(first_chunk() + band * page_.chunks_across() + across, tile_);
        // The width of a tile is a multiple of 16, so tiles of packed bits start at a byte boundary, too.
        const std::int64_t begin = across * tile_row_bytes, bytes = std::min(tile_row_bytes, row_bytes - begin);
        for (std::int64_t r = 0; r < page_.chunk_ny; ++r)
            std::memcpy(band_.data() + r * row_bytes + begin, tile_.data() + r * tile_row_bytes, std::size_t(bytes));
    }
}

void TiffRows::convert_rows(std::span<const std::byte> stored, std::byte* to) const {
    const auto row_bytes = std::size_t(page_.row_bytes());
    for (std::size_t at = 0; at < stored.size(); at += row_bytes, to += voxel_row_bytes()) convert_row(stored.subspan(at, row_bytes), to);
}

void TiffRows::convert_row(std::span<const std::byte> stored, std::byte* to) const {
    const TiffSamples& s = page_.samples;
    const SampleChoice choice{page_.interleaved > 1 ? sample_ : 0, page_.interleaved, s.nx};
    if (s.is_packed()) return unpack_samples(stored, s.bits, choice, to);
    gather_samples(stored, s.bits / 8, choice, to);
    if (s.is_half()) halves_to_floats({to, std::size_t(2 * s.nx)}, to);
}

}  // namespace voxcc::io
