// The boxes of a JP2, JPX or JPH file, one of which contains the codestream.
//
//   JP2 file:  signature | file type | header: size, colours, palette | codestream | others
//   box:       length (4 bytes) | type (4 characters) | [length (8 bytes), if the first is 1] | content
#pragma once
#include "io/checked_file.h"

namespace voxcc::io {

/// Bytes [begin, end) of a file.
struct ByteRange {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
};

/// Finds the codestream: the content of the only such box, or the complete file if it has no boxes.
/// @throw Error about the content if a box exceeds the file, or if the number of codestreams is not 1
ByteRange find_codestream(const InputFile& file);

}  // namespace voxcc::io
