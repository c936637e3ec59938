#include "io/formats/tiff/tiff_pages.h"

#include "io/files/file_identity.h"
#include "io/formats/tiff/ome_xml.h"
#include "io/formats/tiff/tiff_codecs.h"
#include "io/formats/tiff/tiff_extent.h"
#include "io/formats/tiff/tiff_tags.h"
#include "io/formats/tiff/used_ranges.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;

// {nx = 512, ny = 256, per_pixel = 3, bits = 8}  ->  "512 x 256 uint8 x 3"
std::string describe(const TiffSamples& s) {
    return std::to_string(s.nx) + " x " + std::to_string(s.ny) + " " + s.stored_type() +
           (s.per_pixel > 1 ? " x " + std::to_string(s.per_pixel) : "");
}

// Whether the file of a set is in the folder of the first file, after all symbolic links are resolved.
bool is_beside(const std::string& first, const std::string& further) {
    return fs::canonical(further).parent_path() == fs::canonical(first).parent_path();
}

std::string text_of(const TiffHandle& tiff) {
    const char* text = nullptr;
    return TIFFGetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, &text) && text ? text : "";
}

// Opens a further file of a set. @param path of the file that names it
TiffHandle open_in_set(const std::string& path, const NamedFile& named, ExternalFiles external) {
    const auto refuse = [&](ErrorKind kind, const std::string& cause) { throw Error(kind, path, cause); };
    const std::string quoted = "'" + named.name + "'";
    if (external == ExternalFiles::refuse) refuse(ErrorKind::external_file, "is one of several files; its planes are also in " + quoted);
    const std::string outside = "its OME-XML names " + quoted + ", which is not in its folder; copy all files of the set to one folder";
    const bool is_plain =
        !named.name.empty() && named.name.find_first_of("/\\") == std::string::npos && named.name != "." && named.name != "..";
    if (!is_plain) refuse(ErrorKind::unsupported_file, outside);
    const std::string further = (fs::path(path).parent_path() / named.name).string();
    if (!identity_of(further)) refuse(ErrorKind::missing_part, "is one of several files, and " + quoted + " is missing");
    if (!is_beside(path, further)) refuse(ErrorKind::unsupported_file, outside);
    TiffHandle tiff(further);
    const std::string uuid = uuid_of_ome(further, text_of(tiff));
    if (!named.uuid.empty() && !uuid.empty() && uuid != named.uuid)
        refuse(ErrorKind::invalid_file, quoted + " is not the file that its OME-XML names: the UUID is " + uuid + " and not " + named.uuid +
                                            "; copy all files of the set again");
    return tiff;
}

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
std::int64_t check_contiguous(const TiffHandle& tiff, const TiffPages& pages) {
    const TiffPage& page = pages.first;
    if (page.missing > 0) throw Error(ErrorKind::invalid_file, tiff.file().path(), "its only page is not stored completely");
    const std::string told = "its metadata state " + std::to_string(pages.stack.planes()) + " images, but the file has 1 page";
    if (page.compression != COMPRESSION_NONE || page.layout != TiffLayout::strips || page.planes() > 1)
        throw Error(ErrorKind::invalid_file, tiff.file().path(),
                    told + "; copy or download it again, or save it again without its description");
    const std::int64_t row_bytes = page.row_bytes(), strip_bytes = page.chunk_ny * row_bytes;
    const auto first = std::int64_t(TIFFGetStrileOffset(tiff.get(), 0));
    for (std::int64_t i = 1; i < page.chunks_down(); ++i)
        if (std::int64_t(TIFFGetStrileOffset(tiff.get(), std::uint32_t(i))) != first + i * strip_bytes)
            throw Error(ErrorKind::invalid_file, tiff.file().path(), told + ", whose strips do not follow each other");
    const std::int64_t bytes = checked_bytes({row_bytes, page.samples.ny, pages.stack.planes()}, 1, tiff.file().path());
    const auto directory = std::int64_t(TIFFCurrentDirOffset(tiff.get()));
    if (first <= directory && directory - first < bytes)
        throw Error(ErrorKind::invalid_file, tiff.file().path(), told + " and is too short for them");
    if (bytes > tiff.file().size() - first)
        throw Error(ErrorKind::truncated_file, tiff.file().path(),
                    told + " and " + std::to_string(tiff.file().size() - first) + " of " + std::to_string(bytes) + " bytes");
    return first + bytes;
}

std::optional<LengthUnit> resolution_unit_of(const TiffHandle& tiff) {
    switch (tiff.stored_short(TIFFTAG_RESOLUTIONUNIT).value_or(RESUNIT_INCH)) {
        case RESUNIT_INCH: return LengthUnit::inch;
        case RESUNIT_CENTIMETER: return LengthUnit::cm;
        default: return std::nullopt;
    }
}

struct Scan {
    std::vector<std::uint64_t> directories;
    TiffPage first;
    std::int64_t end = 0;                  // offset after the last strip or tile
    std::int64_t chunks = 0, missing = 0;  // strips or tiles
    std::int64_t missing_bytes = 0;        // decoded
    std::vector<std::string> warnings;
};

/// The pages that are not read.
struct Auxiliary {
    std::int64_t number = 0, nx = 0, ny = 0;
};

Auxiliary auxiliary_page(const TiffHandle& tiff, std::int64_t number) {
    std::uint32_t nx = 0, ny = 0;
    TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &nx);
    TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &ny);
    return {number, nx, ny};
}

// A damaged kind of a page must not remove a slice.
void check_reduced(const TiffHandle& tiff, const std::vector<Auxiliary>& reduced, const TiffSamples& samples) {
    for (const Auxiliary& page : reduced)
        if (page.nx >= samples.nx && page.ny >= samples.ny)
            throw Error(ErrorKind::invalid_file, tiff.file().path(),
                        "page " + std::to_string(page.number) +
                            " (from 0) is marked as a reduced copy (NewSubfileType 1), but is not smaller than the others");
}

// {3, 5, 8, 9, 12}  ->  "3, 5, 8 and 2 more"
std::string list_of(const std::vector<std::int64_t>& numbers) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i) text += (i ? ", " : "") + std::to_string(numbers[i]);
    return numbers.size() > most ? text + " and " + std::to_string(numbers.size() - most) + " more" : text;
}

// Pixels that are not stored need no bytes in the file.
std::int64_t stored_bytes(const TiffPage& page, std::int64_t missing_bytes) {
    return std::max<std::int64_t>(0, page.bytes() - missing_bytes);
}

// Reads all pages from the first directory on. @param model the samples that all pages must have; null: the samples of the first page
Scan scan(TiffHandle& tiff, const TiffSamples* model) {
    constexpr std::int64_t most_missing_bytes = std::int64_t{1} << 40;
    Scan scan;
    std::int64_t number = 0, most_bytes_needed = 0, too_large = 0;
    UsedRanges ranges(tiff);
    std::vector<Auxiliary> reduced;
    std::vector<std::int64_t> stored_otherwise;
    do {
        check_stored_kind(tiff, number);
        if (is_auxiliary_page(tiff)) {
            if (!is_mask_page(tiff)) reduced.push_back(auxiliary_page(tiff, number));
            continue;
        }
        const TiffPage page = read_tiff_page(tiff, number);
        ranges.add(page);
        too_large += page.too_large;
        scan.end = std::max(scan.end, page.end);
        scan.chunks += page.chunks;
        scan.missing += page.missing;
        const std::int64_t missing_bytes = page.missing * page.chunk_ny * page.chunk_row_bytes();  // of 1 GiB per strip or tile at most
        scan.missing_bytes += missing_bytes;
        if (scan.missing_bytes > most_missing_bytes) tiff.fail("more than 1 TiB of its pixels are not stored");
        if (scan.directories.empty()) scan.first = page;
        const TiffSamples& expected = model ? *model : scan.first.samples;
        if (page.samples != expected)
            throw Error(ErrorKind::invalid_file, tiff.file().path(),
                        "page " + std::to_string(number) + " (from 0) is " + describe(page.samples) + ", the first is " +
                            describe(expected) + "; all pages of a volume have one size and type");
        // Pages may share strips, but a small file must not become a huge volume.
        most_bytes_needed += stored_bytes(page, missing_bytes) / most_expansion(page.compression);
        if (most_bytes_needed > tiff.file().size()) tiff.fail("its pages claim more than a file of this size can hold");
        if (!page.is_stored_as(scan.first)) stored_otherwise.push_back(number);
        scan.directories.push_back(TIFFCurrentDirOffset(tiff.get()));
    } while (++number, tiff.next_directory());
    if (scan.directories.empty()) tiff.fail("holds nothing but reduced copies and masks");
    check_reduced(tiff, reduced, scan.first.samples);
    const std::int64_t shared = ranges.check();
    if (!stored_otherwise.empty())
        scan.warnings.push_back("pages (from 0) " + list_of(stored_otherwise) + " have another compression, predictor or order than page " +
                                std::to_string(scan.first.number) + "; the file may be damaged");
    if (shared > 0) scan.warnings.push_back(std::to_string(shared) + " strips or tiles use the same bytes of the file as others");
    if (too_large > 0)
        scan.warnings.push_back(std::to_string(too_large) + " strips or tiles have more bytes than their pixels need; the rest is ignored");
    return scan;
}

}  // namespace

bool is_ome_companion(const std::string& path) { return has_extension(path, {".companion.ome"}); }

TiffSource open_tiff_source(const std::string& path, ExternalFiles external) {
    if (!is_ome_companion(path)) return {TiffHandle(path), {}};
    constexpr std::int64_t most_bytes = std::int64_t{256} << 20;
    const InputFile file(path);
    if (file.size() > most_bytes) throw Error(ErrorKind::unsupported_file, path, "has more than 256 MiB of OME-XML");
    OmeCompanion companion{path, file.text()};
    if (!is_ome(companion.text)) throw Error(ErrorKind::invalid_file, path, "is not OME-XML");
    const OmeXml ome = parse_ome_xml(path, companion.text);
    const auto named = std::ranges::find_if(ome.tiff_data, [](const TiffData& data) { return !data.file.name.empty(); });
    if (named == ome.tiff_data.end())
        throw Error(ErrorKind::unsupported_file, path, "its OME-XML names no TIFF file; give the name of the file with the pixels");
    return {open_in_set(path, named->file, external), std::move(companion)};
}

TiffPages read_tiff_pages(TiffHandle& tiff, ExternalFiles external, const OmeCompanion* companion) {
    Scan own = scan(tiff, nullptr);
    tiff.select_directory(own.directories.front());
    refuse_metamorph(tiff);
    TiffDescription description;
    description.path = tiff.file().path();
    description.text = companion ? companion->text : text_of(tiff);
    description.x_units_per_pixel = tiff.inverse_rational(TIFFTAG_XRESOLUTION);
    description.y_units_per_pixel = tiff.inverse_rational(TIFFTAG_YRESOLUTION);
    description.resolution_unit = resolution_unit_of(tiff);
    TiffPages pages;
    pages.first = own.first;
    pages.chunks = own.chunks;
    pages.missing = own.missing;
    pages.warnings = own.warnings;
    pages.files.push_back({tiff.file().path(), std::move(own.directories)});
    description.nx = pages.first.samples.nx;
    description.ny = pages.first.samples.ny;
    description.samples = pages.first.samples.per_pixel;
    description.sample_axis = pages.first.planes() > 1 ? SampleAxis::slowest : SampleAxis::fastest;
    description.pages = std::int64_t(pages.files.front().directories.size());
    description.open_further_file = [&](const NamedFile& named) {
        TiffHandle further = open_in_set(description.path, named, external);
        Scan found = scan(further, &pages.first.samples);
        pages.chunks += found.chunks;
        pages.missing += found.missing;
        for (const std::string& warning : found.warnings)
            pages.warnings.push_back(fs::path(further.file().path()).filename().string() + ": " + warning);
        pages.files.push_back({further.file().path(), std::move(found.directories)});
        return std::int64_t(pages.files.back().directories.size());
    };
    pages.stack = read_page_stack(description);
    if (pages.stack.storage == PageStorage::contiguous) own.end = std::max(own.end, check_contiguous(tiff, pages));
    pages.unused_bytes = unused_bytes_at_end(tiff.file(), own.end);
    return pages;
}

}  // namespace voxcc::io
