// Reading of rows from the pages of a TIFF. Compressed strips and tiles are decoded one by one; uncompressed rows are read directly.
#pragma once
#include "io/formats/tiff/tiff_decoder.h"
#include "io/formats/tiff/tiff_pages.h"

namespace voxcc::io {

/// Reads one sample of each pixel from one of the files of TiffPages. The last decoded strip, or row of tiles, is kept. Not thread-safe.
class TiffRows {
public:
    /// @param tiff the file pages.files[file]; it and `pages` must outlive this object
    /// @param sample 0-based, below pages.first.samples.per_pixel
    TiffRows(TiffHandle& tiff, const TiffPages& pages, std::int64_t file, std::int64_t sample)
        : tiff_(tiff), pages_(pages), directories_(pages.files[std::size_t(file)].directories), sample_(sample) {}
    /// Reads rows of one page. @param page 0-based
    /// @param to receives voxels of the type samples.type() in host byte order
    /// @throw Error about the content, io_error
    void read(std::int64_t page, RowRange rows, std::byte* to);

private:
    bool is_contiguous() const { return pages_.stack.storage == PageStorage::contiguous; }
    bool is_plain() const { return page_.compression == COMPRESSION_NONE && page_.layout == TiffLayout::strips; }
    bool is_one_to_one() const { return page_.samples.is_native() && page_.interleaved == 1; }
    std::int64_t voxel_row_bytes() const { return page_.samples.nx * size_of(page_.samples.type()); }
    std::int64_t first_chunk() const;
    void load_page(std::int64_t page);
    void read_plain(RowRange rows, std::byte* to);
    void read_stored(RowRange rows, std::span<std::byte> to);
    void read_band(std::int64_t band, RowRange rows, std::byte* to);
    void decode(std::int64_t chunk, std::span<std::byte> to);
    void decode_tiles(std::int64_t band);
    void convert_rows(std::span<const std::byte> stored, std::byte* to) const;
    void convert_row(std::span<const std::byte> stored, std::byte* to) const;

    TiffHandle& tiff_;
    const TiffPages& pages_;
    const std::vector<std::uint64_t>& directories_;
    std::int64_t sample_;
    std::int64_t directory_ = -1, page_number_ = -1;  // directory and page number of page_; -1: none loaded
    TiffPage page_;
    TiffDecoder decoder_;
    std::int64_t band_number_ = -1;  // number of the band in band_, on page_; -1: none
    std::vector<std::byte> band_, tile_, stored_;
};

}  // namespace voxcc::io
