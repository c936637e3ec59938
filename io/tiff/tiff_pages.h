// The pages of a TIFF that are slices of its volumes.
#pragma once
#include "io/tiff/tiff_metadata.h"
#include "io/tiff/tiff_page.h"

namespace voxcc::io {

struct TiffPages {
    TiffPage first;                          // all pages have its samples
    std::vector<std::uint64_t> directories;  // offset of each page in the file
    PageStack stack;
    std::int64_t unused_bytes = 0;  // at the end of the file
};

/// Reads and checks all directories of a file. Reduced copies and masks are skipped.
/// @throw Error about the content if pages differ, or if they claim more data than the file can hold
TiffPages read_tiff_pages(TiffHandle& tiff);

}  // namespace voxcc::io
