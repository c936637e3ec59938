#include "io/formats/tiff/used_ranges.h"

#include "io/formats/tiff/stored_directory.h"

#include <algorithm>

namespace voxcc::io {

UsedRanges::UsedRanges(const TiffHandle& tiff) : tiff_(tiff) { add(0, TIFFIsBigTIFF(tiff.get()) ? 16 : 8, structure); }

void UsedRanges::add(std::uint64_t begin, std::uint64_t bytes, std::int64_t page) {
    if (bytes > 0) ranges_.push_back({begin, begin + bytes, page});
}

void UsedRanges::add(const TiffPage& page) {
    const StoredDirectory& directory = tiff_.directory();
    const std::uint64_t begin = TIFFCurrentDirOffset(tiff_.get());
    add(begin, directory.end() - begin, structure);
    bool states_sizes = false;
    for (std::uint64_t i = 0; i < directory.entries(); ++i) {
        const StoredEntry entry = directory.entry(i);
        const bool are_sizes = entry.tag == TIFFTAG_STRIPBYTECOUNTS || entry.tag == TIFFTAG_TILEBYTECOUNTS;
        states_sizes |= are_sizes;
        if (are_sizes || entry.tag == TIFFTAG_STRIPOFFSETS || entry.tag == TIFFTAG_TILEOFFSETS)
            add(entry.value_at, entry.bytes(), structure);
    }
    const bool is_plain = page.compression == COMPRESSION_NONE;
    for (std::int64_t i = 0; i < page.chunks; ++i) {
        const std::uint64_t offset = TIFFGetStrileOffset(tiff_.get(), std::uint32_t(i));
        const auto decoded = std::uint64_t(page.rows_of_chunk(page.chunks_above(i)) * page.chunk_row_bytes());
        // Without stated sizes, libtiff estimates the compressed size.
        const std::uint64_t stored = states_sizes ? TIFFGetStrileByteCount(tiff_.get(), std::uint32_t(i)) : 1;
        if (!is_missing_chunk(tiff_, i)) add(offset, is_plain ? decoded : stored, page.number);
    }
}

std::int64_t UsedRanges::check() {
    const auto refuse = [&](const Range& pixels, const std::string& other) {
        throw Error(ErrorKind::invalid_file, tiff_.file().path(),
                    "page " + std::to_string(pixels.page) + " (from 0): a strip or tile at byte " + std::to_string(pixels.begin) +
                        " overlaps " + other);
    };
    std::ranges::sort(ranges_, [](const Range& a, const Range& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    Range last_pixels{0, 0, structure}, last_structure{0, 0, structure};
    std::int64_t shared = 0;
    for (const Range& range : ranges_) {
        if (range.page == structure) {
            if (range.begin < last_pixels.end) refuse(last_pixels, "a directory");
            if (range.end > last_structure.end) last_structure = range;
            continue;
        }
        if (range.begin < last_structure.end) refuse(range, last_structure.begin == 0 ? "the header of the file" : "a directory");
        if (range.begin < last_pixels.end) {
            if (range.begin != last_pixels.begin || range.end != last_pixels.end)
                refuse(range, "another one of page " + std::to_string(last_pixels.page));
            ++shared;
        }
        last_pixels = range;
    }
    return shared;
}

}  // namespace voxcc::io
