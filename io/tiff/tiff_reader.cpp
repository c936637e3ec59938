// TIFF volumes: one page per slice. Compressed strips and tiles are decoded one by one; uncompressed rows are read directly.
#include "io/formats.h"
#include "io/samples.h"
#include "io/tiff/tiff_decoder.h"
#include "io/tiff/tiff_extent.h"
#include "io/tiff/tiff_metadata.h"
#include "io/tiff/tiff_native.h"
#include "io/tiff/tiff_page.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

// The pages of a file that are slices; all have the same size and type.
struct Pages {
    TiffPage first;
    std::vector<std::uint64_t> directories;  // offset of each
    PageStack stack;
    std::int64_t unused_bytes = 0;  // at the end of the file
};

std::string describe(const TiffSamples& s) { return std::to_string(s.nx) + " x " + std::to_string(s.ny) + " " + s.stored_type(); }

// Refuses MetaMorph stacks (STK), which store several planes behind one directory and are recognised by a tag.
void refuse_metamorph(const TiffHandle& tiff) {
    constexpr std::uint32_t uic2 = 33629;
    for (int i = 0; i < TIFFGetTagListCount(tiff.get()); ++i)
        if (TIFFGetTagListEntry(tiff.get(), i) == uic2)
            throw Error(ErrorKind::unsupported_file, tiff.file().path(),
                        "a MetaMorph stack (STK), which is not supported; save it as plain TIFF");
}

// Checks a file with one directory that is followed by all pages without gaps. The strips must be uncompressed and contiguous.
// @return offset after the last page
std::int64_t check_contiguous(const TiffHandle& tiff, const Pages& pages) {
    const TiffPage& page = pages.first;
    const std::string told = "its metadata state " + std::to_string(pages.stack.planes()) + " images, but the file has 1 page";
    if (page.compression != COMPRESSION_NONE || page.layout != TiffLayout::strips || !page.samples.is_native())
        throw Error(ErrorKind::invalid_file, tiff.file().path(),
                    told + "; copy or download it again, or save it again without its description");
    const std::int64_t row_bytes = page.samples.row_bytes(), strip_bytes = page.chunk_ny * row_bytes;
    const auto first = std::int64_t(TIFFGetStrileOffset(tiff.get(), 0));
    for (std::int64_t i = 1; i < page.chunks_down(); ++i)
        if (std::int64_t(TIFFGetStrileOffset(tiff.get(), std::uint32_t(i))) != first + i * strip_bytes)
            throw Error(ErrorKind::invalid_file, tiff.file().path(), told + ", whose strips do not follow each other");
    const std::int64_t bytes =
        checked_bytes({page.samples.nx, page.samples.ny, pages.stack.planes()}, page.samples.bits / 8, tiff.file().path());
    const auto directory = std::int64_t(TIFFCurrentDirOffset(tiff.get()));
    if (first <= directory && directory - first < bytes)
        throw Error(ErrorKind::invalid_file, tiff.file().path(), told + " and is too short for them");
    if (bytes > tiff.file().size() - first)
        throw Error(ErrorKind::truncated_file, tiff.file().path(),
                    told + " and " + std::to_string(tiff.file().size() - first) + " of " + std::to_string(bytes) + " bytes");
    return first + bytes;
}

Pages read_pages(TiffHandle& tiff) {
    Pages pages;
    TiffDescription description;
    std::int64_t number = 0, most_bytes_needed = 0, end = 0;
    do {
        if (is_auxiliary_page(tiff)) continue;
        const TiffPage page = read_tiff_page(tiff, number);
        end = std::max(end, page.end);
        if (pages.directories.empty()) {
            pages.first = page;
            refuse_metamorph(tiff);
            const char* text = nullptr;
            if (TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &text) && text) description.text = text;
            description.x_units_per_pixel = tiff.inverse_rational(TIFFTAG_XRESOLUTION);
            description.y_units_per_pixel = tiff.inverse_rational(TIFFTAG_YRESOLUTION);
        } else if (page.samples != pages.first.samples) {
            throw Error(ErrorKind::invalid_file, tiff.file().path(),
                        "page " + std::to_string(number) + " (from 0) is " + describe(page.samples) + ", the first is " +
                            describe(pages.first.samples) + "; all pages of a volume have one size and type");
        }
        // Pages may share strips, but a small file must not become a huge volume.
        most_bytes_needed += page.samples.row_bytes() * page.samples.ny / most_expansion(page.compression);
        if (most_bytes_needed > tiff.file().size()) tiff.fail("its pages claim more than a file of this size can hold");
        pages.directories.push_back(TIFFCurrentDirOffset(tiff.get()));
    } while (++number, tiff.next_directory());
    if (pages.directories.empty()) tiff.fail("holds nothing but reduced copies and masks");

    description.path = tiff.file().path();
    description.nx = pages.first.samples.nx;
    description.ny = pages.first.samples.ny;
    description.pages = std::int64_t(pages.directories.size());
    pages.stack = read_page_stack(description);
    if (pages.stack.storage == PageStorage::contiguous) {
        tiff.select_directory(pages.directories.front());
        end = std::max(end, check_contiguous(tiff, pages));
    }
    pages.unused_bytes = unused_bytes_at_end(tiff.file(), end);
    return pages;
}

Geometry geometry_of(const PageStack& stack, const OpenOptions& options, std::vector<std::string>& warnings) {
    const auto& [x, y, z] = stack.spacing;
    Geometry geometry;
    if (options.spacing) geometry.spacing = options.spacing;
    else if (x && y && z) geometry.spacing = {*x, *y, *z};
    else if (x && y && stack.depth() == 1) geometry.spacing = {*x, *y, 1.0};  // a 2D image has no step across its slice
    else if (x && y) warnings.push_back("states the size of pixels but not the distance of slices; give the spacing");
    return geometry;
}

VolumeInfo info_of(const TiffHandle& tiff, const Pages& pages, const OpenOptions& options) {
    VolumeInfo info;
    const TiffPage& page = pages.first;
    info.path = tiff.file().path();
    info.format = TIFFIsBigTIFF(tiff.get()) ? "BigTIFF" : "TIFF";
    info.compression = compression_name(page.compression);
    info.extent = {page.samples.nx, page.samples.ny, pages.stack.depth()};
    info.type = page.samples.type();
    info.stored_type = page.samples.stored_type();
    info.dimensions = pages.stack.depth() == 1 ? 2 : 3;
    info.volumes = pages.stack.volumes();
    for (const PageAxis& axis : pages.stack.axes) {
        info.page_axes.push_back({std::string(1, axis.name), axis.size});
        if (axis.name != 'Z' && axis.size > 1) info.volume_axes.push_back(info.page_axes.back());
    }
    info.warnings = pages.stack.warnings;
    if (pages.unused_bytes > 0) info.warnings.push_back(ignored_bytes(pages.unused_bytes, "the end of the TIFF data"));
    info.geometry = geometry_of(pages.stack, options, info.warnings);
    info.unit = pages.stack.unit;
    checked_bytes(info.extent, size_of(info.type), info.path);
    if (page.samples.photometric == PHOTOMETRIC_MINISWHITE)
        info.warnings.push_back("0 is white in this file (WhiteIsZero); values are taken as they are stored");
    if (page.orientation != ORIENTATION_TOPLEFT)
        info.warnings.push_back("has a tag that turns it for display (orientation " + std::to_string(page.orientation) +
                                "); rows are taken as they are stored");
    auto native = std::make_shared<TiffNative>();
    native->slice_distance = pages.stack.spacing[2];
    info.native = std::move(native);
    return info;
}

// What follows the number of volumes in an error.
std::string details_of(const VolumeInfo& info, const PageStack& stack) {
    const bool several_axes = info.volume_axes.size() > 1;
    return ": " + stack.kinds_of_volumes() + (several_axes ? ", in the order N = " + volume_order(info.volume_axes) : "");
}

class TiffReader final : public VolumeReader {
public:
    TiffReader(const std::string& path, const OpenOptions& options) : tiff_(path), pages_(read_pages(tiff_)) {
        info_ = info_of(tiff_, pages_, options);
        volume_ = chosen_volume(info_, options, details_of(info_, pages_.stack));
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            load_page(pages_.stack.page(volume_, rows.first / ny));
            const std::int64_t y = rows.first % ny, chunk = y / page_.chunk_ny;
            const std::int64_t end = is_contiguous() ? ny : std::min(ny, (chunk + 1) * page_.chunk_ny);
            const std::int64_t count = std::min(rows.count, end - y);
            if (is_plain()) read_plain(y, count, to);
            else read_band(chunk, {y - chunk * page_.chunk_ny, count}, to);
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {}  // rows can be read in any order
    std::int64_t rows_per_read() const override { return pages_.first.chunk_ny; }

private:
    bool is_contiguous() const { return pages_.stack.storage == PageStorage::contiguous; }
    bool is_plain() const {
        return page_.compression == COMPRESSION_NONE && page_.layout == TiffLayout::strips && page_.samples.is_native();
    }

    void load_page(std::int64_t page) {
        if (page == page_number_) return;
        page_number_ = -1;
        band_number_ = -1;
        if (!is_contiguous() || directory_ != 0) {
            directory_ = is_contiguous() ? 0 : page;
            tiff_.select_directory(pages_.directories[std::size_t(directory_)]);
            page_ = read_tiff_page(tiff_, directory_);
            if (page_.samples != pages_.first.samples) tiff_.fail("changed while it was read");
        }
        page_number_ = page;
    }

    // Reads uncompressed rows, all of one strip.
    void read_plain(std::int64_t y, std::int64_t count, std::byte* to) {
        const std::int64_t row_bytes = page_.samples.row_bytes();
        const std::int64_t strip = is_contiguous() ? 0 : y / page_.chunk_ny;
        const std::int64_t rows_before = is_contiguous() ? page_number_ * page_.samples.ny + y : y - strip * page_.chunk_ny;
        const std::span<std::byte> rows(to, std::size_t(count * row_bytes));
        tiff_.file().read(std::int64_t(TIFFGetStrileOffset(tiff_.get(), std::uint32_t(strip))) + rows_before * row_bytes, rows);
        if (TIFFIsByteSwapped(tiff_.get())) swap_samples(rows, page_.samples.bits / 8);
    }

    // Reads rows of a band: one strip, or all tiles side by side. The last decoded band is kept.
    void read_band(std::int64_t band, RowRange rows, std::byte* to) {
        const std::int64_t row_bytes = page_.samples.row_bytes(), band_rows = page_.rows_of_chunk(band);
        if (page_.layout == TiffLayout::strips && page_.samples.is_native() && rows.count == band_rows)
            return decoder_.decode(tiff_, page_, band, {to, std::size_t(band_rows * row_bytes)});
        if (band != band_number_) {
            band_number_ = -1;
            band_.resize(std::size_t(band_rows * row_bytes));
            if (page_.layout == TiffLayout::tiles) decode_tiles(band);
            else decoder_.decode(tiff_, page_, band, band_);
            band_number_ = band;
        }
        for (std::int64_t r = rows.first; r < rows.end(); ++r, to += info_.extent.nx * size_of(info_.type))
            convert_row(band_.data() + r * row_bytes, to);
    }

    void decode_tiles(std::int64_t band) {
        const std::int64_t row_bytes = page_.samples.row_bytes(), tile_row_bytes = page_.chunk_row_bytes();
        tile_.resize(std::size_t(tile_row_bytes * page_.chunk_ny));
        for (std::int64_t across = 0; across < page_.chunks_across(); ++across) {
            const std::int64_t tile = band * page_.chunks_across() + across;
            decoder_.decode(tiff_, page_, tile, tile_);
            // The width of a tile is a multiple of 16, so tiles of single bits start at a byte boundary, too.
            const std::int64_t begin = across * tile_row_bytes, bytes = std::min(tile_row_bytes, row_bytes - begin);
            for (std::int64_t r = 0; r < page_.chunk_ny; ++r)
                std::memcpy(band_.data() + r * row_bytes + begin, tile_.data() + r * tile_row_bytes, std::size_t(bytes));
        }
    }

    void convert_row(const std::byte* from, std::byte* to) const {
        const auto nx = std::size_t(info_.extent.nx);
        if (page_.samples.is_native()) std::memcpy(to, from, nx * std::size_t(size_of(info_.type)));
        else if (page_.samples.bits == 1) bits_to_bytes(from, {reinterpret_cast<std::uint8_t*>(to), nx});
        else halves_to_floats({from, 2 * nx}, to);
    }

    TiffHandle tiff_;
    Pages pages_;
    std::int64_t volume_ = 0;
    std::int64_t directory_ = -1, page_number_ = -1;  // directory and page number of page_; -1: none loaded
    TiffPage page_;
    TiffDecoder decoder_;
    std::int64_t band_number_ = -1;  // number of the band in band_, on page_; -1: none
    std::vector<std::byte> band_, tile_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options) {
    return std::make_unique<TiffReader>(path, options);
}

VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options) {
    TiffHandle tiff(path);
    const Pages pages = read_pages(tiff);
    return info_of(tiff, pages, options);
}

}  // namespace voxcc::io
