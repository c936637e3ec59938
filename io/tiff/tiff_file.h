// A grey-level TIFF being written into an OutputFile. Strips go out as they come, all directories together at the end, where a reader
// of many pages finds them at once. libtiff could write them as fast (70,000 pages in 1.6 s, linear), but keeps resolutions, and so
// the spacing, to 24 bits only.
#pragma once
#include "io/checked_file.h"
#include "io/io.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::io {

struct TiffFormat {
    Extent extent;                     // a page a slice
    ScalarType type = ScalarType::u8;  // unsigned
    std::int64_t rows_per_strip = 1;
    enum class Compression { none, deflate } compression = Compression::deflate;
    std::optional<std::array<double, 3>> spacing;  // mm
    std::int64_t strips_per_page() const { return (extent.ny + rows_per_strip - 1) / rows_per_strip; }
    std::int64_t strips() const { return strips_per_page() * extent.nz; }
};

class TiffFile {
public:
    /// Classic TIFF up to 4 GB, BigTIFF where the voxels could pass it. Bytes are in host order.
    TiffFile(OutputFile& file, const TiffFormat& format);
    /// The strips of page 0 from the top, of page 1, ...
    void append_strip(std::span<const std::byte> strip);
    bool is_complete() const { return std::int64_t(strips_.size()) == format_.strips(); }
    /// Writes the directories, reads everything but the voxels back, closes. @throw Error io_error
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
