// Writer of a grey-level TIFF. Strips are written as they arrive; all directories follow at the end, so that a reader of many pages finds
// them together. libtiff could write them as fast (70,000 pages in 1.6 s, linear), but it stores resolutions, and so the spacing, with
// 24 bits only.
//
// A file of several volumes has the pages of volume 0, then the pages of volume 1, and so on. TiffFormat::volume_axes states what the
// volumes are; the first axis is the fastest. With it, the description, the number of directories and the check of the finished file
// follow.
//   6 volumes of 40 slices: {{"C", 2}, {"T", 3}}  ->  240 pages; volume 3 is channel 1 at time point 1; OME: DimensionOrder XYZCT
#pragma once
#include "io/files/checked_file.h"
#include "io/io.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::io {

struct TiffFormat {
    Extent extent;                          // of one volume; one page per slice
    std::vector<VolumeAxis> volume_axes{};  // "C" or "T", once each; ImageJ: "T" only; empty: one volume
    ScalarType type = ScalarType::u8;
    std::int64_t rows_per_strip = 1;
    enum class Compression { none, deflate } compression = Compression::deflate;
    std::optional<std::array<double, 3>> spacing;
    std::optional<LengthUnit> unit;  // of the spacing; empty: unknown
    enum class Metadata { imagej, ome } metadata = Metadata::imagej;
    std::string content{};                // name of the image in OME-XML: "labels"
    std::optional<DisplayRange> display;  // ImageJ only; empty: the viewer chooses
    std::vector<Colour> colours{};        // of the values 0 to 255, for u8; empty: none
    std::int64_t volumes() const;
    std::int64_t pages() const { return extent.nz * volumes(); }
    std::int64_t strips_per_page() const { return (extent.ny + rows_per_strip - 1) / rows_per_strip; }
    std::int64_t strips() const { return strips_per_page() * pages(); }
};

/// Writes one TIFF strip by strip. Not thread-safe.
class TiffFile {
public:
    /// Starts a classic TIFF, or a BigTIFF if the file could exceed 3.9 GB. Bytes are in host order. @param file must outlive this object
    /// @throw Error cannot_create if the volume has over 2^32 - 1 columns or rows, or over 2^20 pages, or if the metadata cannot describe
    /// it; io_error
    TiffFile(OutputFile& file, const TiffFormat& format);
    /// Appends the next strip: page 0 from the top, then page 1, ... @param strip compressed as in the format. @throw Error io_error
    void append_strip(std::span<const std::byte> strip);
    bool is_complete() const { return std::int64_t(strips_.size()) == format_.strips(); }
    /// Replaces the display range of the format. Must be called before finish().
    void set_display(const DisplayRange& range) { format_.display = range; }
    /// Writes the directories, reads the file back except for the voxels, and closes it. Must be called after the last strip.
    /// @throw Error io_error
    void finish();

private:
    struct Strip {
        std::uint64_t offset, bytes;
    };
    enum class Flavour { classic, big };
    void write_header(std::uint64_t first_directory);
    template <class Offset>
    void write_directories();
    void check() const;

    OutputFile* file_;
    TiffFormat format_;
    Flavour flavour_;
    std::vector<Strip> strips_;
};

}  // namespace voxcc::io
