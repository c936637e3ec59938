// Converts the labels of a volume of any type to 64 bits.
#pragma once
#include "io/io.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc {

/// A label as 64 bits. Signed integers are sign-extended, unsigned integers are zero-extended. Floats and scaled values are converted to
/// signed integers.
// -1 of int16 and -1.0 of float32 -> 0xffffffffffffffff; stored 300 with the slope 0.01 -> 3
using LabelBits = std::uint64_t;

/// The type of the labels of a volume: of the stored integers, or i64 for floats and for scaled values.
ScalarType label_type(const io::VolumeInfo& info);

/// The whole number that a value of a label volume means. Floats may differ from it by 1e-6. Scaled values may differ by 1e-6 of the value,
/// because a slope has rounding errors. The difference is at most 0.01, and at most a quarter of the slope, so that no two stored integers
/// become one label.
/// @param value with slope and intercept @return empty if the value is not a whole number, or is beyond +-2^53
// 2.9999999776, {0.01, 0} -> 3; 3.01, {0.01, 0} -> empty; 3.0000458, {} -> empty
std::optional<double> whole_label(double value, const io::Scaling& scaling);

/// Converts the labels of voxels.
/// @param raw labels.size() voxels of type info.type, as from io::VolumeReader::read_rows()
/// @throw Error invalid_file if a voxel that is not a stored integer is not a whole_label()
void to_label_bits(std::span<const std::byte> raw, const io::VolumeInfo& info, std::span<LabelBits> labels);

/// The positions of labels, in ascending order of the labels. @param type see label_type()
// labels {7, -2, 3} of int16 -> {1, 2, 0}
std::vector<std::size_t> ascending_labels(const std::vector<LabelBits>& labels, ScalarType type);

/// @param type see label_type()
// 0xffffffffffffffff: int16 -> true, uint64 -> false
inline bool is_negative(LabelBits label, ScalarType type) { return type != ScalarType::u64 && std::int64_t(label) < 0; }

/// The largest label of a type; for a floating-point type the largest of 64 bits.
std::uint64_t largest_label(ScalarType type);

/// A label as text. @param type see label_type()
// 0xffffffffffffffff: int16 -> "-1", uint64 -> "18446744073709551615"
std::string label_text(LabelBits label, ScalarType type);

}  // namespace voxcc
