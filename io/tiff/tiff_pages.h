// The pages of a TIFF that are slices of its volumes.
#pragma once
#include "io/io.h"
#include "io/tiff/tiff_metadata.h"
#include "io/tiff/tiff_page.h"

namespace voxcc::io {

struct PagesOfFile {
    std::string path;
    std::vector<std::uint64_t> directories;  // offset of each page in the file
};

struct TiffPages {
    TiffPage first;                  // all pages have its samples
    std::vector<PagesOfFile> files;  // the file itself, then the further files of a set: PlanePlace::file
    PageStack stack;
    std::int64_t unused_bytes = 0;         // at the end of the file itself
    std::int64_t chunks = 0, missing = 0;  // strips or tiles of all pages, and the ones that are not stored
};

/// OME-XML in a file of its own, which describes the TIFF files beside it.
struct OmeCompanion {
    std::string path, text;
};

/// Reads and checks all directories of a file, and of the further files that its OME-XML names. Reduced copies and masks are skipped.
/// @throw Error about the content if pages differ, or if they claim more data than their file can hold; external_file if there are
/// further files and `external` refuses them; missing_part
TiffPages read_tiff_pages(TiffHandle& tiff, ExternalFiles external);

}  // namespace voxcc::io
