// The tags that give pixels their meaning, as the file states them. libtiff ignores a tag whose type, count or value it cannot use, and
// reads the page with a default.
#pragma once
#include "io/formats/tiff/tiff_handle.h"

namespace voxcc::io {

/// Checks that libtiff uses each of these tags of the current directory with the value in the file.
/// @param number of the page, 0-based, for messages. @throw Error about the content
void check_stored_tags(const TiffHandle& tiff, std::int64_t number);

/// Checks the tag that marks reduced copies and masks, which are not read. @param number as for check_stored_tags()
/// @throw Error about the content, also if a page is marked as a mask but does not store one
void check_stored_kind(const TiffHandle& tiff, std::int64_t number);

}  // namespace voxcc::io
