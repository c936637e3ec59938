#include "io/tiff/tiff_file.h"

#include "io/formats.h"
#include "io/tiff/tiff_directory.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace voxcc::io {
namespace {

constexpr std::uint64_t classic_limit = 3'900'000'000;  // bytes; below 2^32, with room for directories
constexpr std::uint64_t directory_bytes = 400;          // upper bound for one directory written here
constexpr std::int64_t most_pages = 1 << 20;            // TIFF_MAX_DIR_COUNT of libtiff
constexpr std::size_t flush_bytes = 1 << 20;

std::string text_of(double value) {
    char text[32];
    // 12 digits: a spacing of 0.26 um stays 0.26 after conversion to 0.00026 mm and back.
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 12).ptr};
}

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

struct Unit {
    const char* name;  // as ImageJ writes it
    double mm;
};

// The usual unit for voxels of this size.
Unit unit_for(const std::array<double, 3>& spacing) { return spacing[0] < 0.05 ? Unit{"micron", 1e-3} : Unit{"mm", 1}; }

bool is_writable(const std::optional<std::array<double, 3>>& spacing) {
    if (!spacing) return false;
    for (const double step : *spacing)
        if (!(step > 1e-8 && step < 1e8)) return false;
    return true;
}

// Metadata of ImageJ, from which Fiji, tifffile and Bio-Formats read depth and spacing.
std::string description_of(const TiffFormat& format) {
    std::string text = "ImageJ=1.54f\n";
    const std::string pages = std::to_string(format.extent.nz);
    if (format.extent.nz > 1) text += "images=" + pages + "\nslices=" + pages + "\n";
    if (is_writable(format.spacing)) {
        const Unit unit = unit_for(*format.spacing);
        text += std::string("unit=") + unit.name + "\nspacing=" + text_of((*format.spacing)[2] / unit.mm) + "\n";
    }
    return text + "loop=false\n";
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
    const Fraction step = fraction_of((*format.spacing)[axis] / unit_for(*format.spacing).mm);
    return {step.denominator, step.numerator};
}

}  // namespace

TiffFile::TiffFile(OutputFile& file, const TiffFormat& format) : file_(&file), format_(format) {
    if (format.extent.nx > std::numeric_limits<std::uint32_t>::max() || format.extent.ny > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::cannot_create, file.target(), "TIFF pages have at most 2^32 - 1 columns and rows");
    if (format.extent.nz > most_pages)
        throw Error(ErrorKind::cannot_create, file.target(),
                    std::to_string(format.extent.nz) + " pages are more than libtiff reads; write .h5 or .nrrd");
    const auto voxel_bytes = std::uint64_t(checked_bytes(format.extent, size_of(format.type), file.target()));
    // Deflate adds 5 bytes per 32 KiB and some bytes per stream to data that cannot be compressed.
    const std::uint64_t most =
        voxel_bytes + voxel_bytes / 1000 + std::uint64_t(format.strips()) * 64 + std::uint64_t(format.extent.nz) * directory_bytes;
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
    const bool is_spaced = is_writable(format_.spacing);
    const std::string description = description_of(format_);
    const Fraction x = is_spaced ? resolution_of(format_, 0) : Fraction{}, y = is_spaced ? resolution_of(format_, 1) : Fraction{};
    Bytes bytes;
    bytes.zeros(padding(file_->position()));
    const std::uint64_t resolutions = std::uint64_t(file_->position()) + bytes.size();
    bytes.put(x);
    bytes.put(y);
    const std::uint64_t description_at = resolutions + 16;
    bytes.put(description);
    bytes.put('\0');
    bytes.zeros(padding(std::int64_t(description.size() + 1)));
    file_->write(bytes.view());
    bytes.clear();

    using Directory = TiffDirectory<Offset>;
    const auto strips_per_page = std::size_t(format_.strips_per_page()), entries = std::size_t(is_spaced ? 13 : 11);
    const std::uint64_t lists = strips_per_page > 1 ? strips_per_page * 2 * sizeof(Offset) : 0;  // a single number is stored in its entry
    const std::uint64_t record = (lists + Directory::bytes(entries + 1) + 7) / 8 * 8, first = std::uint64_t(file_->position());
    if (!Directory::is_big && first + record * std::uint64_t(format_.extent.nz) > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::internal, file_->target(), "a classic TIFF beyond 4 GB");
    const bool is_deflate = format_.compression == TiffFormat::Compression::deflate;
    for (std::int64_t page = 0; page < format_.extent.nz; ++page) {
        const std::size_t begin = bytes.size();
        const std::uint64_t at = first + record * std::uint64_t(page);
        const std::span strips = std::span<const Strip>(strips_).subspan(std::size_t(page) * strips_per_page, strips_per_page);
        if (lists) {
            for (const Strip& strip : strips) bytes.put(Offset(strip.offset));
            for (const Strip& strip : strips) bytes.put(Offset(strip.bytes));
        }
        Directory directory(bytes, entries + (page == 0));
        directory.put(TIFFTAG_IMAGEWIDTH, std::uint32_t(format_.extent.nx));
        directory.put(TIFFTAG_IMAGELENGTH, std::uint32_t(format_.extent.ny));
        directory.put(TIFFTAG_BITSPERSAMPLE, std::uint16_t(8 * size_of(format_.type)));
        directory.put(TIFFTAG_COMPRESSION, std::uint16_t(is_deflate ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE));
        directory.put(TIFFTAG_PHOTOMETRIC, std::uint16_t(PHOTOMETRIC_MINISBLACK));
        if (page == 0) directory.put(TIFFTAG_IMAGEDESCRIPTION, TIFF_ASCII, description.size() + 1, description_at);
        directory.put(TIFFTAG_STRIPOFFSETS, Directory::offset_type, strips_per_page, lists ? at : strips[0].offset);
        directory.put(TIFFTAG_SAMPLESPERPIXEL, std::uint16_t(1));
        directory.put(TIFFTAG_ROWSPERSTRIP, std::uint32_t(format_.rows_per_strip));
        directory.put(TIFFTAG_STRIPBYTECOUNTS, Directory::offset_type, strips_per_page, lists ? at + lists / 2 : strips[0].bytes);
        if (is_spaced) {
            directory.put(TIFFTAG_XRESOLUTION, x, resolutions);
            directory.put(TIFFTAG_YRESOLUTION, y, resolutions + sizeof(Fraction));
        }
        directory.put(TIFFTAG_RESOLUTIONUNIT, std::uint16_t(RESUNIT_NONE));
        directory.put(TIFFTAG_SAMPLEFORMAT, sample_format_of(format_.type));
        directory.end(page + 1 < format_.extent.nz ? at + record + lists : 0);
        bytes.zeros(record - (bytes.size() - begin));
        if (bytes.size() < flush_bytes) continue;
        file_->write(bytes.view());
        bytes.clear();
    }
    file_->write(bytes.view());
    write_header(first + lists);
}

void TiffFile::check() const {
    try {
        const VolumeInfo written = describe_tiff(file_->temporary(), {});
        if (written.extent != format_.extent || written.type != format_.type || written.volumes != 1 ||
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
