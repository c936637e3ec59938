// The pages of a TIFF that are slices of its volumes.
#pragma once
#include "io/formats/tiff/tiff_metadata.h"
#include "io/formats/tiff/tiff_page.h"
#include "io/io.h"

#include <optional>

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
    std::vector<std::string> warnings;
};

/// OME-XML in a file of its own, which describes the TIFF files beside it.
struct OmeCompanion {
    std::string path, text;
};

/// Whether this is the name of such a file.
// "cells.companion.ome"  ->  true
bool is_ome_companion(const std::string& path);

/// A TIFF as it is given on the command line: by its name, or by the name of the OME-XML of its set.
struct TiffSource {
    TiffHandle tiff;                        // in a set with a companion: the first file that the OME-XML names
    std::optional<OmeCompanion> companion;  // replaces the description of the TIFF
    const std::string& path() const { return companion ? companion->path : tiff.file().path(); }
};

/// @throw Error as TiffHandle(); external_file if `external` refuses the files of a set; missing_part, about the content
TiffSource open_tiff_source(const std::string& path, ExternalFiles external);

/// Reads and checks all directories of a file, and of the further files that its OME-XML names. Reduced copies and masks are skipped.
/// @throw Error about the content if pages differ, or if they claim more data than their file can hold; external_file if there are
/// further files and `external` refuses them; missing_part
/// @param companion replaces the description of the file; may be null
TiffPages read_tiff_pages(TiffHandle& tiff, ExternalFiles external, const OmeCompanion* companion = nullptr);

}  // namespace voxcc::io
