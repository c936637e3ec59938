// The channels of an image, which a selector such as [c=0] chooses. The components of the codestream store them in any order.
#pragma once
#include "io/formats/jpeg2000/codestream.h"
#include "io/formats/jpeg2000/jp2_header.h"

#include <array>

namespace voxcc::io {

enum class ColourModel : std::uint8_t { as_stored, sycc };

/// The channels: the colours in the order of their numbers, then opacity and other channels in the order of their components.
// stored: opacity, blue, green, red  ->  {{3, 2, 1, 0}, ColourModel::as_stored}
struct Channels {
    std::vector<std::size_t> components;  // the component of each channel
    ColourModel model = ColourModel::as_stored;
    /// Whether the voxels of the channel are computed from the first three channels by rgb_of_sycc().
    bool is_converted(std::size_t channel) const { return model == ColourModel::sycc && channel < 3; }
};

/// Orders the channels by the definitions in the header. The indices of a palette image are one channel, as its components are.
/// @throw Error unsupported_file if the colours are neither grey, RGB, CMY(K) nor sYCC, or if the components of sYCC differ in type
Channels channels_of(const InputFile& file, const Jp2Header& header, const Codestream& codestream);

/// Converts one pixel of sYCC as OpenJPEG's program opj_decompress does, with its rounding toward zero.
/// @param ycc Y, Cb and Cr, each in [0, 2^bits)
/// @param colour 0: red, 1: green, 2: blue
// {100, 128, 178}, 0, 8  ->  170
int rgb_of_sycc(const std::array<int, 3>& ycc, std::size_t colour, int bits);

}  // namespace voxcc::io
