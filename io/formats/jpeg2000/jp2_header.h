// The header box of a JP2 file (jp2h): its size, colours, palette and channels. It is a box that contains boxes:
//
//   ihdr: size | [bpcc: bits per component] | colr: colours | [pclr: palette | cmap: use of the palette] | [cdef: channels]
#pragma once
#include "io/formats/jpeg2000/box.h"

#include <optional>

namespace voxcc::io {

/// The meaning of a channel, from the channel definition box.
struct ChannelDefinition {
    static constexpr std::uint16_t complete_image = 0, none = 65535;  // of `association`
    std::uint16_t channel = 0;                                        // a component of the codestream, or a channel that the palette makes
    std::uint16_t type = 0;                                           // 0: a colour; others: opacity, or not specified
    std::uint16_t association = 0;                                    // 1-based number of the colour, complete_image or none
    bool has_colour_number() const { return association != complete_image && association != none; }
    bool is_colour() const { return type == 0 && has_colour_number(); }
};

struct Jp2Header {
    std::int64_t nx = 0, ny = 0, components = 0;
    std::optional<std::uint32_t> colour_space;  // the number of an enumerated one, such as 16 for sRGB; empty for an ICC profile
    bool has_palette = false;
    std::vector<ChannelDefinition> channels;  // of every channel, or empty
};

/// Reads the header from the content of its box. @throw Error about the content if a box is missing, damaged or not in its place
Jp2Header read_jp2_header(const InputFile& file, ByteRange content);

}  // namespace voxcc::io
