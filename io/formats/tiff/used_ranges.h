// The ranges of a TIFF that its pages use. A damaged offset makes two of them overlap.
#pragma once
#include "io/formats/tiff/tiff_page.h"

#include <vector>

namespace voxcc::io {

/// Collects the ranges of the pages of one file.
class UsedRanges {
public:
    /// The header of the file. @param tiff named in errors; must outlive this object
    explicit UsedRanges(const TiffHandle& tiff);
    /// The current directory, its lists of strips or tiles, and the strips or tiles.
    void add(const TiffPage& page);
    /// @return number of strips or tiles that use exactly the bytes of another one: some programs store equal ones once
    /// @throw Error about the content if a strip or tile overlaps another one partly, a directory, or the header
    std::int64_t check();

private:
    struct Range {
        std::uint64_t begin, end;
        std::int64_t page;  // number of the page of a strip or tile; structure: a part of the file that is not pixels
    };
    static constexpr std::int64_t structure = -1;
    void add(std::uint64_t begin, std::uint64_t bytes, std::int64_t page);

    const TiffHandle& tiff_;
    std::vector<Range> ranges_;
};

}  // namespace voxcc::io
