// Converts the labels of a volume of any type to 64 bits.
#pragma once
#include "io/io.h"

#include <cstdint>
#include <span>
#include <string>

namespace voxcc {

/// A label as 64 bits. Signed integers are sign-extended, unsigned integers are zero-extended. Floats are converted to signed integers.
// -1 of int16 and -1.0 of float32 -> 0xffffffffffffffff
using LabelBits = std::uint64_t;

/// Converts the labels of voxels.
/// @param raw labels.size() voxels of type info.type, as from io::VolumeReader::read_rows()
/// @throw Error invalid_file if a voxel is not a whole number, or is a floating-point number beyond +-2^53
void to_label_bits(std::span<const std::byte> raw, const io::VolumeInfo& info, std::span<LabelBits> labels);

/// A label as text. @param type type of the volume
// 0xffffffffffffffff: int16 -> "-1", uint64 -> "18446744073709551615"
std::string label_text(LabelBits label, ScalarType type);

}  // namespace voxcc
