// Units of length that files state.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace voxcc::io {

enum class LengthUnit : std::uint8_t { m, cm, inch, mm, um, nm, angstrom, pm };

/// "m", "cm", "inch", "mm", "um", "nm", "angstrom" or "pm"
std::string_view name_of(LengthUnit unit);

/// The unit that a text in a file names, with any blanks around it; empty if it is not a unit of length ("pixel").
// "microns" -> um; "µm" -> um
std::optional<LengthUnit> length_unit(std::string_view text);

/// Converts a length to mm, with one rounding.
// 0.3 um -> 0.0003
double in_millimetres(double length, LengthUnit unit);

/// Converts a length in mm to a unit, with one rounding.
// 0.0003, um -> 0.3
double from_millimetres(double length, LengthUnit unit);

}  // namespace voxcc::io
