#include "io/formats/tiff/tiff_file.h"

#include "io/formats/tiff/tiff.h"
#include "io/formats/tiff/tiff_description.h"
#include "io/formats/tiff/tiff_directory.h"

#include <bit>
#include <cmath>
#include <limits>

namespace voxcc::io {
namespace {

constexpr std::uint64_t classic_limit = 3'900'000'000;  // bytes; below 2^32, with room for directories
constexpr std::uint64_t directory_bytes = 400;          // upper bound for one directory written here
constexpr std::int64_t most_pages = 1 << 20;            // TIFF_MAX_DIR_COUNT of libtiff
constexpr std::size_t flush_bytes = 1 << 20;

// Approximates a positive value by a fraction of 32-bit numbers, with continued fractions.
Fraction fraction_of(double value) {
    constexpr double most = std::numeric_limits<std::uint32_t>::max();
    double h0 = 0, h1 = 1, k0 = 1, k1 = 0, rest = value;
    for (int i = 0; i < 64; ++i) {
        const double whole = std::floor(rest), h = whole * h1 + h0, k = whole * k1 + k0;
        if (h > most || k > most) break;
        h0 = h1, h1 = h, k0 = k1, k1 = k;
        if (h / k == value || rest == whole) break;
        rest = 1 / (rest - whole);
    }
    return {std::uint32_t(h1), std::uint32_t(k1)};
}

std::uint16_t sample_format_of(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) -> std::uint16_t {
        if (std::is_floating_point_v<T>) return SAMPLEFORMAT_IEEEFP;
        return std::is_signed_v<T> ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
    });
}

// Directories and numbers are aligned to 8 bytes. @return bytes from `position` to the next aligned position
std::size_t padding(std::int64_t position) { return std::size_t(-position & 7); }

// Resolution in pixels per unit along x (axis 0) or y (axis 1).
Fraction resolution_of(const TiffFormat& format, std::size_t axis) {
    const Fraction step = fraction_of((*format.spacing)[axis]);
    return {step.denominator, step.numerator};
}

/// Bytes of the table of colours of a page.
std::uint64_t table_bytes(const TiffFormat& format) { return format.colours.size() * 3 * sizeof(std::uint16_t); }

// A table of 16-bit numbers: all red channels, then green, then blue.
void put_colours(const std::vector<Colour>& colours, Bytes& to) {
    for (std::size_t channel = 0; channel < 3; ++channel)
        for (const Colour& colour : colours) to.put(std::uint16_t(colour[channel] * 257));
}

}  // namespace

std::int64_t TiffFormat::volumes() const {
    std::int64_t product = 1;
    for (const VolumeAxis& axis : volume_axes) product *= axis.size;
    return product;
}

TiffFile::TiffFile(OutputFile& file, const TiffFormat& format) : file_(&file), format_(format) {
    if (format.extent.nx > std::numeric_limits<std::uint32_t>::max() || format.extent.ny > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::cannot_create, file.target(), "TIFF pages have at most 2^32 - 1 columns and rows");
    if (format.pages() > most_pages)
        throw Error(ErrorKind::cannot_create, file.target(),
                    std::to_string(format.pages()) + " pages are more than libtiff reads; write .h5 or .nrrd");
    if (!format.colours.empty() && (format.type != ScalarType::u8 || format.colours.size() != 256))
        throw Error(ErrorKind::internal, file.target(), "a table of colours of a wrong size");
    (void)description_of(format, file.target());
    const Extent all_pages{format.extent.nx, format.extent.ny, format.pages()};
    const auto voxel_bytes = std::uint64_t(checked_bytes(all_pages, size_of(format.type), file.target()));
    // Deflate adds 5 bytes per 32 KiB and some bytes per stream to data that cannot be compressed.
    const std::uint64_t most = voxel_bytes + voxel_bytes / 1000 + std::uint64_t(format.strips()) * 64 +
                               std::uint64_t(format.pages()) * (directory_bytes + table_bytes(format));
    flavour_ = most > classic_limit ? Flavour::big : Flavour::classic;
    write_header(0);
}

void TiffFile::write_header(std::uint64_t first_directory) {
    constexpr bool is_little = std::endian::native == std::endian::little;
    Bytes header;
    header.put(is_little ? 'I' : 'M');
    header.put(is_little ? 'I' : 'M');
    if (flavour_ == Flavour::big) {
        header.put(std::uint16_t(TIFF_VERSION_BIG));
        header.put(std::uint16_t(8));
        header.put(std::uint16_t(0));
        header.put(first_directory);
    } else {
        header.put(std::uint16_t(TIFF_VERSION_CLASSIC));
        header.put(std::uint32_t(first_directory));
    }
    if (file_->position() == 0) file_->write(header.view());
    else file_->write_at(0, header.view());
}

void TiffFile::append_strip(std::span<const std::byte> strip) {
    if (is_complete()) throw Error(ErrorKind::internal, file_->target(), "more strips than the volume has");
    strips_.push_back({std::uint64_t(file_->position()), strip.size()});
    file_->write(strip);
}

// Writes all directories. Each has the same size and follows the offsets and sizes of its strips.
template <class Offset>
void TiffFile::write_directories() {
    const bool is_spaced = is_writable(format_.spacing), has_colours = !format_.colours.empty();
    const std::string description = description_of(format_, file_->target()) + '\0', program = software() + '\0';
    const Fraction x = is_spaced ? resolution_of(format_, 0) : Fraction{}, y = is_spaced ? resolution_of(format_, 1) : Fraction{};
    Bytes bytes;
    const std::int64_t begin_of_values = file_->position();
    const auto aligned_place = [&] {
        bytes.zeros(padding(begin_of_values + std::int64_t(bytes.size())));
        return std::uint64_t(begin_of_values) + bytes.size();
    };
    const std::uint64_t resolutions = aligned_place();
    bytes.put(x);
    bytes.put(y);
    const std::uint64_t description_at = aligned_place();
    bytes.put(description);
    const std::uint64_t program_at = aligned_place();
    bytes.put(program);
    const std::uint64_t first = aligned_place();
    file_->write(bytes.view());
    bytes.clear();

    using Directory = TiffDirectory<Offset>;
    const auto strips_per_page = std::size_t(format_.strips_per_page()), entries = std::size_t(11 + 2 * is_spaced + has_colours);
    const std::uint64_t lists = strips_per_page > 1 ? strips_per_page * 2 * sizeof(Offset) : 0;  // a single number is stored in its entry
    const std::uint64_t values = lists + table_bytes(format_), record = (values + Directory::bytes(entries + 2) + 7) / 8 * 8;
    if (!Directory::is_big && first + record * std::uint64_t(format_.pages()) > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::internal, file_->target(), "a classic TIFF beyond 4 GB");
    const bool is_deflate = format_.compression == TiffFormat::Compression::deflate;
    for (std::int64_t page = 0; page < format_.pages(); ++page) {
        const std::size_t begin = bytes.size();
        const std::uint64_t at = first + record * std::uint64_t(page);
        const std::span strips = std::span<const Strip>(strips_).subspan(std::size_t(page) * strips_per_page, strips_per_page);
        if (lists) {
            for (const Strip& strip : strips) bytes.put(Offset(strip.offset));
            for (const Strip& strip : strips) bytes.put(Offset(strip.bytes));
        }
        put_colours(format_.colours, bytes);
        Directory directory(bytes, entries + (page == 0 ? 2 : 0));
        directory.put(TIFFTAG_IMAGEWIDTH, std::uint32_t(format_.extent.nx));
        directory.put(TIFFTAG_IMAGELENGTH, std::uint32_t(format_.extent.ny));
        directory.put(TIFFTAG_BITSPERSAMPLE, std::uint16_t(8 * size_of(format_.type)));
        directory.put(TIFFTAG_COMPRESSION, std::uint16_t(is_deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE));
        directory.put(TIFFTAG_PHOTOMETRIC, std::uint16_t(PHOTOMETRIC_MINISBLACK));
        if (page == 0) directory.put(TIFFTAG_IMAGEDESCRIPTION, TIFF_ASCII, description.size(), description_at);
        directory.put(TIFFTAG_STRIPOFFSETS, Directory::offset_type, strips_per_page, lists ? at : strips[0].offset);
        directory.put(TIFFTAG_SAMPLESPERPIXEL, std::uint16_t(1));
        directory.put(TIFFTAG_ROWSPERSTRIP, std::uint32_t(format_.rows_per_strip));
        directory.put(TIFFTAG_STRIPBYTECOUNTS, Directory::offset_type, strips_per_page, lists ? at + lists / 2 : strips[0].bytes);
        if (is_spaced) {
            directory.put(TIFFTAG_XRESOLUTION, x, resolutions);
            directory.put(TIFFTAG_YRESOLUTION, y, resolutions + sizeof(Fraction));
        }
        directory.put(TIFFTAG_RESOLUTIONUNIT, std::uint16_t(RESUNIT_NONE));
        if (page == 0) directory.put(TIFFTAG_SOFTWARE, TIFF_ASCII, program.size(), program_at);
        // The photometric interpretation is a grey level, so that readers return the labels. ImageJ needs a table in all pages. Pages
        // do not share it, because Pillow limits the bytes of tags that it reads to the size of the file.
        if (has_colours) directory.put(TIFFTAG_COLORMAP, TIFF_SHORT, 3 * format_.colours.size(), at + lists);
        directory.put(TIFFTAG_SAMPLEFORMAT, sample_format_of(format_.type));
        directory.end(page + 1 < format_.pages() ? at + record + values : 0);
        bytes.zeros(record - (bytes.size() - begin));
        if (bytes.size() < flush_bytes) continue;
        file_->write(bytes.view());
        bytes.clear();
    }
    file_->write(bytes.view());
    write_header(first + values);
}

void TiffFile::check() const {
    try {
        const VolumeInfo written = describe_tiff(file_->temporary(), {});
        if (written.extent != format_.extent || written.type != format_.type || written.volumes != format_.volumes() ||
            written.geometry.spacing.has_value() != is_writable(format_.spacing))
            throw Error(ErrorKind::io_error, file_->target(), "other pages than those that were written");
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::out_of_memory) throw;
        throw Error(ErrorKind::io_error, file_->target(), "what was written does not read back: " + error.cause());
    }
}

void TiffFile::finish() {
    if (!is_complete()) throw Error(ErrorKind::internal, file_->target(), "finished before its last strip");
    if (flavour_ == Flavour::big) write_directories<std::uint64_t>();
    else write_directories<std::uint32_t>();
    check();
    file_->close();
}

}  // namespace voxcc::io
