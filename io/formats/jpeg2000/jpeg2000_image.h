// The image of a JPEG 2000 file, before it is decoded.
#pragma once
#include "io/formats/jpeg2000/channels.h"
#include "io/formats/jpeg2000/jp2_boxes.h"

namespace voxcc::io {

struct Jpeg2000Image {
    Codestream codestream;
    Channels channels;
};

/// Reads all boxes and markers, and compares the two statements of the size.
/// @throw Error as find_parts(), read_codestream() and channels_of(); about the content if the boxes and the codestream state different
/// sizes
Jpeg2000Image read_jpeg2000_image(const InputFile& file);

}  // namespace voxcc::io
