// The colours of the components.
#pragma once
#include "io/png_writer.h"

#include <array>
#include <cstdint>

namespace voxcc::preview {

using Colour = std::array<std::uint8_t, 3>;

/// Component 1 has the first colour, component 19 the first again. The first seven are the colours of Okabe and Ito (2008) without black,
/// which most colour-blind readers can distinguish. Each further colour is the bright colour whose smallest difference to the colours
/// before it is largest. The smallest difference in CIELAB is 26. For red-green colour-blind readers, it is 12 (Machado et al., 2009).
constexpr std::array<Colour, 18> palette{{{230, 159, 0},
                                          {86, 180, 233},
                                          {240, 228, 66},
                                          {213, 94, 0},
                                          {204, 121, 167},
                                          {0, 158, 115},
                                          {0, 114, 178},
                                          {180, 0, 255},
                                          {255, 0, 90},
                                          {105, 255, 135},
                                          {165, 120, 255},
                                          {195, 240, 195},
                                          {210, 0, 180},
                                          {240, 150, 105},
                                          {30, 210, 225},
                                          {165, 225, 90},
                                          {75, 150, 30},
                                          {225, 255, 0}}};

constexpr Colour colour_of(std::uint64_t label) { return palette[std::size_t((label - 1) % palette.size())]; }

}  // namespace voxcc::preview
