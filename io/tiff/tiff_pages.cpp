#include "io/tiff/tiff_pages.h"

#include "io/tiff/tiff_codecs.h"
#include "io/tiff/tiff_extent.h"

#include <algorithm>

namespace voxcc::io {
namespace {

// {nx = 512, ny = 256, per_pixel = 3, bits = 8}  ->  "512 x 256 uint8 x 3"
std::string describe(const TiffSamples& s) {
    return std::to_string(s.nx) + " x " + std::to_string(s.ny) + " " + s.stored_type() +
           (s.per_pixel > 1 ? " x " + std::to_string(s.per_pixel) : "");
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

}  // namespace

TiffPages read_tiff_pages(TiffHandle& tiff) {
    TiffPages pages;
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
        most_bytes_needed += page.bytes() / most_expansion(page.compression);
        if (most_bytes_needed > tiff.file().size()) tiff.fail("its pages claim more than a file of this size can hold");
        pages.directories.push_back(TIFFCurrentDirOffset(tiff.get()));
    } while (++number, tiff.next_directory());
    if (pages.directories.empty()) tiff.fail("holds nothing but reduced copies and masks");

    description.path = tiff.file().path();
    description.nx = pages.first.samples.nx;
    description.ny = pages.first.samples.ny;
    description.samples = pages.first.samples.per_pixel;
    description.sample_axis = pages.first.planes() > 1 ? SampleAxis::slowest : SampleAxis::fastest;
    description.pages = std::int64_t(pages.directories.size());
    pages.stack = read_page_stack(description);
    if (pages.stack.storage == PageStorage::contiguous) {
        tiff.select_directory(pages.directories.front());
        end = std::max(end, check_contiguous(tiff, pages));
    }
    pages.unused_bytes = unused_bytes_at_end(tiff.file(), end);
    return pages;
}

}  // namespace voxcc::io
