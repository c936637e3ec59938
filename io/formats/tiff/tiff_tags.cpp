#include "io/formats/tiff/tiff_tags.h"

#include "io/formats/tiff/stored_directory.h"
#include "io/formats/tiff/tiff_codecs.h"

#include <array>
#include <span>

namespace voxcc::io {
namespace {

enum class Width : std::uint8_t { bits_16, bits_32 };  // of the value that libtiff returns

struct Single {
    std::uint16_t tag;
    const char* name;
    Width width;
};
constexpr std::array singles{Single{TIFFTAG_IMAGEWIDTH, "ImageWidth", Width::bits_32},
                             Single{TIFFTAG_IMAGELENGTH, "ImageLength", Width::bits_32},
                             Single{TIFFTAG_BITSPERSAMPLE, "BitsPerSample", Width::bits_16},
                             Single{TIFFTAG_COMPRESSION, "Compression", Width::bits_16},
                             Single{TIFFTAG_PHOTOMETRIC, "PhotometricInterpretation", Width::bits_16},
                             Single{TIFFTAG_FILLORDER, "FillOrder", Width::bits_16},
                             Single{TIFFTAG_ORIENTATION, "Orientation", Width::bits_16},
                             Single{TIFFTAG_SAMPLESPERPIXEL, "SamplesPerPixel", Width::bits_16},
                             Single{TIFFTAG_ROWSPERSTRIP, "RowsPerStrip", Width::bits_32},
                             Single{TIFFTAG_PLANARCONFIG, "PlanarConfiguration", Width::bits_16},
                             Single{TIFFTAG_PREDICTOR, "Predictor", Width::bits_16},
                             Single{TIFFTAG_TILEWIDTH, "TileWidth", Width::bits_32},
                             Single{TIFFTAG_TILELENGTH, "TileLength", Width::bits_32},
                             Single{TIFFTAG_SAMPLEFORMAT, "SampleFormat", Width::bits_16}};
constexpr Single kind_of_page{TIFFTAG_SUBFILETYPE, "NewSubfileType", Width::bits_32};

struct List {
    std::uint16_t tag;
    const char* name;
};
constexpr std::array lists{List{TIFFTAG_STRIPOFFSETS, "StripOffsets"}, List{TIFFTAG_STRIPBYTECOUNTS, "StripByteCounts"},
                           List{TIFFTAG_TILEOFFSETS, "TileOffsets"}, List{TIFFTAG_TILEBYTECOUNTS, "TileByteCounts"}};

bool has_value_for_each_sample(std::uint16_t tag) { return tag == TIFFTAG_BITSPERSAMPLE || tag == TIFFTAG_SAMPLEFORMAT; }

// @return bytes of one value; 0 if the type is not a whole number
std::size_t width_of(std::uint16_t type) {
    switch (type) {
        case TIFF_BYTE:
        case TIFF_SBYTE: return 1;
        case TIFF_SHORT:
        case TIFF_SSHORT: return 2;
        case TIFF_LONG:
        case TIFF_SLONG:
        case TIFF_IFD: return 4;
        case TIFF_LONG8:
        case TIFF_SLONG8:
        case TIFF_IFD8: return 8;
        default: return 0;
    }
}

/// One page.
class Tags {
public:
    Tags(const TiffHandle& tiff, std::int64_t number) : tiff_(tiff), number_(number), directory_(tiff.directory()) {}

    [[noreturn]] void refuse(const std::string& cause) const {
        throw Error(ErrorKind::invalid_file, tiff_.file().path(), "page " + std::to_string(number_) + " (from 0): " + cause);
    }

    // @return the only entry with a tag; empty if there is none
    std::optional<StoredEntry> find(std::uint16_t tag, const std::string& name) const {
        std::optional<StoredEntry> found;
        for (std::uint64_t i = 0; i < directory_.entries(); ++i) {
            const StoredEntry entry = directory_.entry(i);
            if (entry.tag != tag) continue;
            if (found) refuse("states the tag " + name + " twice");
            found = entry;
        }
        if (!found) return found;
        if (width_of(found->type) == 0) refuse("the tag " + name + " has type " + std::to_string(found->type) + ", not whole numbers");
        const auto size = std::uint64_t(tiff_.file().size());
        if (found->count == 0 || found->value_at > size || found->bytes() > size - found->value_at)
            refuse("the values of the tag " + name + " lie outside the file");
        return found;
    }

    std::uint64_t value(const StoredEntry& entry, std::uint64_t index) const {
        std::array<std::byte, 8> bytes{};
        const std::size_t width = width_of(entry.type);
        tiff_.file().read(std::int64_t(entry.value_at + index * width), std::span(bytes).first(width));
        const bool is_swapped = TIFFIsByteSwapped(tiff_.get());
        switch (width) {
            case 1: return std::uint64_t(bytes[0]);
            case 2: return load<std::uint16_t>(bytes.data(), is_swapped);
            case 4: return load<std::uint32_t>(bytes.data(), is_swapped);
            default: return load<std::uint64_t>(bytes.data(), is_swapped);
        }
    }

    void check(const Single& single) const {
        const auto entry = find(single.tag, single.name);
        if (!entry) return;
        const std::uint64_t stored = value(*entry, 0);
        const bool may_be_list = has_value_for_each_sample(single.tag) && entry->count >= samples();
        if (entry->count != 1 && !may_be_list)
            refuse("the tag " + std::string(single.name) + " has " + std::to_string(entry->count) + " values");
        for (std::uint64_t i = 1; i < std::min(entry->count, samples()); ++i)
            if (value(*entry, i) != stored)
                refuse("the tag " + std::string(single.name) + " has different values for the samples of a pixel");
        const auto used = single.width == Width::bits_16 ? used_value<std::uint16_t>(single.tag) : used_value<std::uint32_t>(single.tag);
        // Samples stay indices if libtiff cannot use the table of colours.
        if (single.tag == TIFFTAG_PHOTOMETRIC && stored == PHOTOMETRIC_PALETTE && used == std::uint64_t{PHOTOMETRIC_MINISBLACK}) return;
        if (single.tag == TIFFTAG_PREDICTOR && !used && (stored == PREDICTOR_NONE || !is_plain())) return;
        if (!used || *used != stored)
            refuse("the tag " + std::string(single.name) + " has the value " + std::to_string(stored) + ", which cannot be used");
    }

    // libtiff replaces sizes that seem wrong, and fills up lists that are too short.
    void check(const List& list) const {
        const auto entry = find(list.tag, list.name);
        if (!entry) return;
        const std::uint64_t chunks = TIFFIsTiled(tiff_.get()) ? TIFFNumberOfTiles(tiff_.get()) : TIFFNumberOfStrips(tiff_.get());
        if (entry->count != chunks)
            refuse("has " + std::to_string(chunks) + " strips or tiles, but the tag " + list.name + " lists " +
                   std::to_string(entry->count));
        constexpr std::uint64_t compared = 3;  // libtiff looks at two sizes
        const bool are_offsets = list.tag == TIFFTAG_STRIPOFFSETS || list.tag == TIFFTAG_TILEOFFSETS;
        for (std::uint64_t i = 0; i < std::min(compared, chunks); ++i) {
            const std::uint64_t used =
                are_offsets ? TIFFGetStrileOffset(tiff_.get(), std::uint32_t(i)) : TIFFGetStrileByteCount(tiff_.get(), std::uint32_t(i));
            const std::uint64_t stored = value(*entry, i);
            if (are_offsets ? used != stored : used > stored)
                refuse("the tag " + std::string(list.name) + " states " + std::to_string(stored) + " for strip or tile " +
                       std::to_string(i) + ", which cannot be right");
        }
    }

    // A description decides the axes of the pages.
    void check_description() const {
        const char* text = nullptr;
        if (tiff_.stored_count(TIFFTAG_IMAGEDESCRIPTION) > 0 && !TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &text))
            refuse("the tag ImageDescription cannot be read as text");
    }

private:
    std::uint64_t samples() const {
        std::uint16_t samples = 1;
        TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
        return samples;
    }
    // Whether a predictor has no meaning, but some programs apply it.
    bool is_plain() const {
        const auto compression = used_value<std::uint16_t>(TIFFTAG_COMPRESSION).value_or(COMPRESSION_NONE);
        return compression == COMPRESSION_NONE || compression == COMPRESSION_PACKBITS;
    }
    template <class T>
    std::optional<std::uint64_t> used_value(std::uint16_t tag) const {
        T value{};
        if (!TIFFGetField(tiff_.get(), tag, &value)) return {};
        return value;
    }

    const TiffHandle& tiff_;
    std::int64_t number_;
    const StoredDirectory& directory_;
};

}  // namespace

void check_stored_tags(const TiffHandle& tiff, std::int64_t number) {
    const Tags tags(tiff, number);
    for (const Single& single : singles) tags.check(single);
    for (const List& list : lists) tags.check(list);
    tags.check_description();
}

void check_stored_kind(const TiffHandle& tiff, std::int64_t number) {
    const Tags tags(tiff, number);
    tags.check(kind_of_page);
    std::uint32_t kind = 0;
    std::uint16_t photometric = 0;
    if (!TIFFGetField(tiff.get(), TIFFTAG_SUBFILETYPE, &kind) || !(kind & FILETYPE_MASK)) return;
    if (!TIFFGetField(tiff.get(), TIFFTAG_PHOTOMETRIC, &photometric) || photometric != PHOTOMETRIC_MASK)
        tags.refuse("is marked as a mask (NewSubfileType " + std::to_string(kind) + "), but does not store a mask");
}

}  // namespace voxcc::io
