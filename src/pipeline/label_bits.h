// The labels of a volume of any type as 64 bits.
#pragma once
#include "io/io.h"

#include <cstdint>
#include <span>
#include <string>

namespace voxcc {

/// Labels of uint64 are kept as they are, all others are sign-extended.
using LabelBits = std::uint64_t;

/// @param raw voxels of the volume, as read_rows gives them
/// @throw Error invalid_file for a voxel that is no whole number, or a floating-point number past 2^53
void to_label_bits(std::span<const std::byte> raw, const io::VolumeInfo& info, std::span<LabelBits> labels);

/// A label of a volume of `type` as text.
std::string label_text(LabelBits label, ScalarType type);

}  // namespace voxcc
