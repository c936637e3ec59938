// The boxes of a JP2, JPX or JPH file (ISO/IEC 15444-1, annex I), one of which contains the codestream.
//
//   JP2 file:  signature | file type | header: size, colours, palette | codestream | others
//   box:       length (4 bytes) | type (4 characters) | [length (8 bytes), if the first is 1] | content
#pragma once
#include "io/formats/jpeg2000/jp2_header.h"

namespace voxcc::io {

/// The parts of a file that are used.
struct Jp2Parts {
    ByteRange codestream;             // the complete file if it has no boxes
    std::optional<Jp2Header> header;  // empty if the file has no boxes
};

/// Finds the parts of a JP2 file, or of a file that is one codestream.
/// @throw Error about the content if a required box is missing or not in its place, if a box is damaged, or if the number of codestreams
/// is not 1
Jp2Parts find_parts(const InputFile& file);

}  // namespace voxcc::io
