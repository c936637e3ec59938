// Conversion of label volumes to TIFF strips, shared by multi-page files and folders of slices.
#pragma once
#include "io/formats/tiff/tiff_file.h"

namespace voxcc::io {

/// Cuts blocks into strips and compresses them. A block is a part of a page or several complete pages; a strip is a part of a page.
class TiffLabelWriter : public LabelWriter {
public:
    struct Plan {
        std::int64_t rows_per_block, rows_per_strip;
    };
    static Plan plan(const Extent& extent, ScalarType type);
    EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const override;
    void append(std::int64_t block, const EncodedBlock& encoded) override;

protected:
    explicit TiffLabelWriter(const LabelVolume& volume);
    const std::string& path() const { return path_; }
    /// The format of the volume with all pages.
    const TiffFormat& format() const { return format_; }
    /// The range of 0 and all values that were appended; 0 to 0 if the format states a display range.
    const DisplayRange& range() const { return range_; }

private:
    virtual void append_strip(std::span<const std::byte> strip) = 0;
    TiffLabelWriter(const LabelVolume& volume, Plan plan);
    std::string path_;
    TiffFormat format_;
    DisplayRange range_;
    int level_;
    std::int64_t next_block_ = 0;
};

}  // namespace voxcc::io
