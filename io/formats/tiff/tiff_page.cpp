#include "io/formats/tiff/tiff_page.h"

#include "io/formats/tiff/tiff_codecs.h"
#include "io/formats/tiff/tiff_tags.h"
#include "io/samples.h"

#include <algorithm>
#include <limits>

namespace voxcc::io {
namespace {

template <class T>
T tag_or(const TiffHandle& tiff, std::uint32_t tag, T absent) {
    T value{};
    return TIFFGetFieldDefaulted(tiff.get(), tag, &value) ? value : absent;
}

[[noreturn]] void refuse(const TiffHandle& tiff, std::int64_t number, const std::string& cause,
                         ErrorKind kind = ErrorKind::unsupported_file) {
    throw Error(kind, tiff.file().path(), "page " + std::to_string(number) + " (from 0): " + cause);
}

std::string photometric_name(int photometric) {
    switch (photometric) {
        case PHOTOMETRIC_PALETTE: return "a palette";
        case PHOTOMETRIC_YCBCR: return "YCbCr";
        case PHOTOMETRIC_CIELAB: return "CIE L*a*b*";
        default: return "photometric " + std::to_string(photometric);
    }
}

// Whether each sample is a number by itself. The samples of a palette image are indices. libtiff converts the colours of JPEG to RGB.
bool are_numbers(const TiffPage& page) {
    const TiffSamples& s = page.samples;
    switch (s.photometric) {
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_MINISWHITE:
        case PHOTOMETRIC_RGB:
        case PHOTOMETRIC_SEPARATED: return true;
        case PHOTOMETRIC_PALETTE: return s.per_pixel == 1 && s.bits <= most_packed_bits && s.format == SAMPLEFORMAT_UINT;
        case PHOTOMETRIC_YCBCR: return page.compression == COMPRESSION_JPEG && page.interleaved == 3;
        default: return false;
    }
}

bool is_supported(const TiffSamples& s) {
    switch (s.format) {
        case SAMPLEFORMAT_UINT: return (s.bits >= 1 && s.bits <= most_packed_bits) || s.bits == 32 || s.bits == 64;
        case SAMPLEFORMAT_INT: return s.bits == 8 || s.bits == 16 || s.bits == 32 || s.bits == 64;
        case SAMPLEFORMAT_IEEEFP: return s.bits == 16 || s.bits == 32 || s.bits == 64;
        default: return false;
    }
}

// Whether libtiff decodes samples of this kind. libjpeg reads 8 bits only.
bool is_supported_by_codec(const TiffPage& page) {
    const TiffSamples& s = page.samples;
    switch (page.compression) {
        case COMPRESSION_JPEG: return s.bits == 8 && s.format == SAMPLEFORMAT_UINT;
        case COMPRESSION_CCITTRLE:
        case COMPRESSION_CCITTRLEW:
        case COMPRESSION_CCITTFAX3:
        case COMPRESSION_CCITTFAX4: return s.bits == 1 && page.interleaved == 1;
        case COMPRESSION_LERC: return s.is_native();
        default: return true;
    }
}

bool is_predictable(const TiffPage& page) {
    switch (page.predictor) {
        case PREDICTOR_NONE: return true;
        case PREDICTOR_HORIZONTAL: return !page.samples.is_packed();
        case PREDICTOR_FLOATINGPOINT: return page.samples.format == SAMPLEFORMAT_IEEEFP;
        default: return false;
    }
}

// A program of GDAL can state a value for pixels that are not stored.
bool has_zero_as_missing_value(const TiffHandle& tiff) {
    constexpr std::uint16_t gdal_nodata = 42113;
    const auto text = tiff.stored_text(gdal_nodata);
    return !text || std::ranges::all_of(*text, [](char c) { return std::string_view("+-0. ").find(c) != std::string_view::npos; });
}

void check_missing(const TiffHandle& tiff, const TiffPage& page, std::int64_t number) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
    if (page.chunk_row_bytes() * page.chunk_ny > most_bytes)
        refuse(tiff, number, "has strips or tiles of more than 1 GiB that are not stored");
    if (!has_zero_as_missing_value(tiff))
        refuse(tiff, number,
               "has strips or tiles that are not stored, and their pixels have another value than 0 (GDAL_NODATA); save it with all "
               "strips or tiles");
}

// Checks that every strip or tile is inside the file and has enough bytes for its decoded size. Sets `chunks`, `missing` and `end`.
void check_chunks(const TiffHandle& tiff, TiffPage& page, std::int64_t number) {
    const std::int64_t size = tiff.file().size(), expansion = most_expansion(page.compression);
    std::int64_t chunks = 0;
    if (__builtin_mul_overflow(page.chunks_across() * page.chunks_down(), page.planes(), &chunks))
        chunks = std::numeric_limits<std::int64_t>::max();
    if (chunks != std::int64_t(page.layout == TiffLayout::tiles ? TIFFNumberOfTiles(tiff.get()) : TIFFNumberOfStrips(tiff.get())))
        refuse(tiff, number, "the number of strips or tiles does not fit the size of the image", ErrorKind::invalid_file);
    if (chunks > size)
        refuse(tiff, number, std::to_string(chunks) + " strips or tiles in a file of " + std::to_string(size) + " bytes",
               ErrorKind::invalid_file);
    std::uint64_t end = 0;
    page.chunks = chunks;
    for (std::int64_t i = 0; i < chunks; ++i) {
        const auto offset = TIFFGetStrileOffset(tiff.get(), std::uint32_t(i)), count = TIFFGetStrileByteCount(tiff.get(), std::uint32_t(i));
        if (offset == 0 && count == 0) {
            if (++page.missing == 1) check_missing(tiff, page, number);
            continue;
        }
        const auto decoded = std::uint64_t(page.rows_of_chunk(page.chunks_above(i)) * page.chunk_row_bytes());
        const std::uint64_t needed = page.compression == COMPRESSION_NONE ? decoded : count;
        if (count == 0 || count < decoded / std::uint64_t(expansion))
            refuse(tiff, number,
                   "strip or tile " + std::to_string(i) + " must hold " + std::to_string(decoded) + " bytes in " + std::to_string(count) +
                       ", which is not possible with " + compression_name(page.compression),
                   ErrorKind::invalid_file);
        if (offset == 0 || offset > std::uint64_t(size) || needed > std::uint64_t(size) - offset)
            refuse(tiff, number, "strip or tile " + std::to_string(i) + " lies beyond the end of the file", ErrorKind::truncated_file);
        // The last strip can be stored with as many rows as the others.
        if (page.compression == COMPRESSION_NONE && count > std::uint64_t(page.chunk_ny * page.chunk_row_bytes())) ++page.too_large;
        end = std::max(end, offset + needed);
    }
    page.end = std::int64_t(end);
}

}  // namespace

ScalarType TiffSamples::type() const {
    const bool is_signed = format == SAMPLEFORMAT_INT;
    if (format == SAMPLEFORMAT_IEEEFP) return bits == 64 ? ScalarType::f64 : ScalarType::f32;
    switch (bits) {
        case 32: return is_signed ? ScalarType::i32 : ScalarType::u32;
        case 64: return is_signed ? ScalarType::i64 : ScalarType::u64;
        default:
            if (bits <= 8) return is_signed ? ScalarType::i8 : ScalarType::u8;
            return is_signed ? ScalarType::i16 : ScalarType::u16;
    }
}

std::string TiffSamples::stored_type() const {
    if (bits == 1) return "bool";
    if (is_packed()) return "uint" + std::to_string(bits);
    return is_half() ? "float16" : std::string(name_of(type()));
}

std::string TiffPage::chunk_name(std::int64_t chunk) const {
    return "page " + std::to_string(number) + " (0-based): " + (layout == TiffLayout::tiles ? "tile " : "strip ") + std::to_string(chunk);
}

std::int64_t TiffPage::rows_of_chunk(std::int64_t down) const {
    return layout == TiffLayout::tiles ? chunk_ny : std::min(chunk_ny, samples.ny - down * chunk_ny);
}

bool is_missing_chunk(const TiffHandle& tiff, std::int64_t chunk) {
    return TIFFGetStrileByteCount(tiff.get(), std::uint32_t(chunk)) == 0 && TIFFGetStrileOffset(tiff.get(), std::uint32_t(chunk)) == 0;
}

bool is_auxiliary_page(const TiffHandle& tiff) {
    return (tag_or<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE, 0) & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

bool is_mask_page(const TiffHandle& tiff) { return (tag_or<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE, 0) & FILETYPE_MASK) != 0; }

TiffPage read_tiff_page(const TiffHandle& tiff, std::int64_t number) {
    check_stored_tags(tiff, number);
    TiffPage page;
    page.number = number;
    TiffSamples& s = page.samples;
    s.nx = tag_or<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
    s.ny = tag_or<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
    s.bits = tag_or<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    s.format = tag_or<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    if (s.format == SAMPLEFORMAT_VOID) s.format = SAMPLEFORMAT_UINT;  // TIFF 6.0: undefined data are read as if the field were absent
    s.photometric = tag_or<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    page.compression = tag_or<std::uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    page.orientation = tag_or<std::uint16_t>(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    page.fill_order = tag_or<std::uint16_t>(tiff, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB);
    page.stated_predictor = tag_or<std::uint16_t>(tiff, TIFFTAG_PREDICTOR, PREDICTOR_NONE);
    if (is_deflate(page.compression)) page.predictor = page.stated_predictor;

    s.per_pixel = tag_or<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    const bool is_separate = tag_or<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    page.interleaved = is_separate ? 1 : s.per_pixel;
    if (s.per_pixel < 1) refuse(tiff, number, "no samples per pixel", ErrorKind::invalid_file);
    if (!are_numbers(page))
        refuse(tiff, number,
               "a colour image (" + photometric_name(s.photometric) + ", " + std::to_string(s.per_pixel) +
                   " samples per pixel) whose samples are not grey levels; save one channel of it");
    if (!is_supported(s))
        refuse(tiff, number,
               "samples of " + std::to_string(s.bits) + " bits and sample format " + std::to_string(s.format) + " are not supported");
    if (!is_predictable(page))
        refuse(tiff, number,
               "predictor " + std::to_string(page.predictor) + " is not supported for " + s.stored_type() +
                   " samples; save it without a predictor");
    if (!is_known_compression(page.compression))
        refuse(tiff, number,
               "compression " + std::to_string(page.compression) + " is not supported; save it with deflate or without compression");
    if (!is_supported_by_codec(page))
        refuse(tiff, number,
               compression_name(page.compression) + " with " + s.stored_type() + " samples is not supported; save it with deflate");
    if (page.compression == COMPRESSION_LERC && TIFFIsBigEndian(tiff.get()) && s.bits > 8)  // libtiff swaps bytes, tifffile does not
        refuse(tiff, number, "programs do not agree on the byte order of lerc in big-endian files; save it as a little-endian file");
    if (!TIFFIsCODECConfigured(std::uint16_t(page.compression)))
        refuse(tiff, number, "this libtiff was built without " + compression_name(page.compression) + "; save it with deflate");
    if (tag_or<std::uint32_t>(tiff, TIFFTAG_IMAGEDEPTH, 1) > 1 || tag_or<std::uint32_t>(tiff, TIFFTAG_TILEDEPTH, 1) > 1)
        refuse(tiff, number, "a page with depth is not supported; save one page per slice");
    checked_bytes({s.nx * s.per_pixel, s.ny, 1}, 8, tiff.file().path());

    page.layout = TIFFIsTiled(tiff.get()) ? TiffLayout::tiles : TiffLayout::strips;
    page.chunk_nx = page.layout == TiffLayout::tiles ? tag_or<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH, 0) : s.nx;
    page.chunk_ny = page.layout == TiffLayout::tiles ? tag_or<std::uint32_t>(tiff, TIFFTAG_TILELENGTH, 0)
                                                     : std::min<std::int64_t>(tag_or<std::uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP, 0), s.ny);
    if (page.chunk_nx <= 0 || page.chunk_ny <= 0) refuse(tiff, number, "strips or tiles of size 0", ErrorKind::invalid_file);
    if (page.chunk_nx != s.nx && page.chunk_nx * page.interleaved * s.bits % 8 != 0)
        refuse(tiff, number, "tiles that do not begin at a byte boundary");
    checked_bytes({page.chunk_nx * page.interleaved, page.chunk_ny, 1}, 8, tiff.file().path());
    check_chunks(tiff, page, number);
    return page;
}

}  // namespace voxcc::io
