// The markers of a JPEG 2000 codestream (ISO/IEC 15444-1, annex A), which state its size and where its tiles are.
//
//   SOC | size of the image | other markers of the main header | SOT, tile-part | SOT, tile-part | ... | EOC
//
// The coded data have no checksum, and decoders accept streams with missing parts. Therefore the lengths of all tile-parts are checked
// here, up to the end marker.
#pragma once
#include <voxcc/volume.h>
#include "io/formats/jpeg2000/box.h"

#include <vector>

namespace voxcc::io {

/// The samples of a component, which are integers.
struct Jpeg2000Samples {
    int bits = 8;  // 1 to 24
    bool is_signed = false;
    bool operator==(const Jpeg2000Samples&) const = default;
};

/// A piece of the coded data, with its markers.
struct TilePart {
    std::uint16_t tile = 0;
    ByteRange bytes;
};

struct Codestream {
    ByteRange bytes;                          // from SOC to EOC, both included
    std::int64_t unused_bytes = 0;            // after EOC
    Extent extent;                            // nz = 1
    std::vector<Jpeg2000Samples> components;  // at least one; all have the same extent
    std::vector<TilePart> tile_parts;         // in the order of the file
    bool is_lossless = true;                  // the coding of the main header restores all values
    /// Memory for the decoded samples of all components, as OpenJPEG keeps them.
    std::int64_t decoded_bytes() const { return 4 * extent.voxels() * std::int64_t(components.size()); }
};

/// Reads all markers outside of the coded data. @param bytes of the file that contain the codestream
/// @throw Error about the content if a part is missing, if the size does not fit the length, or if the decoder does not support the stream
Codestream read_codestream(const InputFile& file, ByteRange bytes);

}  // namespace voxcc::io
