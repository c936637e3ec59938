// Units of length that files state, and conversions between them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

enum class LengthUnit : std::uint8_t { km, m, dm, cm, mm, um, nm, angstrom, pm, fm, inch, foot, yard, mile, mil };

/// "km", "m", ..., "um", ..., "angstrom", ..., "inch", ... The names are suffixes of columns.
std::string_view name_of(LengthUnit unit);

/// The word of UDUNITS that NGFF and GEFF demand.
// um -> "micrometer"
std::string unit_word(LengthUnit unit);

/// The unit that a text in a file names, with any blanks around it; empty if it is not a known unit of length ("pixel"). Symbols such as
/// "mm" must have this case, because "Mm" is another unit. Words may have any case.
// "Microns" -> um; "µm" -> um; "mm" -> mm; "MM" -> nothing
std::optional<LengthUnit> length_unit(std::string_view text);

/// Converts a length. If the units differ by a power of ten, a number of at most 15 decimal digits is taken as this decimal number.
// 0.3 um in mm -> 0.0003; 0.0003 mm in um -> 0.3, although 0.0003 * 1000 is 0.29999999999999999
double converted(double length, LengthUnit from, LengthUnit to);

/// The units of the axes of a volume.
struct AxisUnits {
    std::vector<std::optional<LengthUnit>> axes;
    bool are_comparable = true;  // all units are known, or all axes have the same text
    /// The unit for all axes: the unit of the first axis. Empty: unknown.
    std::optional<LengthUnit> common() const { return are_comparable && !axes.empty() ? axes.front() : std::nullopt; }
    /// A length along an axis in the common unit. The axes must be comparable.
    // um, nm: 500 along the second axis  ->  0.5
    double in_common_unit(double length, std::size_t axis) const;
};

/// The units that texts in a file name, one text per axis.
// "um", "nm"  ->  {um, nm}, comparable; "pixel", "pixel"  ->  {nothing, nothing}, comparable; "um", "pixel"  ->  not comparable
AxisUnits units_of_axes(std::span<const std::string> texts);

/// A note for axes that are not comparable. @param subject what states the units
// "NRRD header", {"um", "pixel"}  ->  "the NRRD header states lengths in 'um' and 'pixel', which cannot be compared; ..."
std::string note_on_units(const std::string& subject, std::span<const std::string> texts);

}  // namespace voxcc::io
