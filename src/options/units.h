// The units of lengths in tables, and sizes and distances with a unit.
#pragma once
#include <voxcc/shape.h>
#include "io/length_unit.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace voxcc {

/// The unit of positions and lengths. voxel: positions are voxel indices, and the steps between voxels have the length 1. unit: the unit of
/// the file, which is not known.
enum class Units : std::uint8_t { mm, um, nm, voxel, unit };
inline constexpr std::array all_units{Units::mm, Units::um, Units::nm, Units::voxel, Units::unit};

// um -> "um"
std::string_view name_of(Units units);

/// The unit of length; empty for voxel and unit.
std::optional<io::LengthUnit> length_unit_of(Units units);

/// A size of components: a number of voxels, or an area or a volume in a unit of length.
struct SizeLimit {
    double amount = 0;
    std::optional<io::LengthUnit> unit{};  // empty: voxels
    Space space = Space::volume;           // plane: an area; not used for voxels
};

// {5, mm, plane} -> "5mm2"; {100} -> "100"
std::string text_of(const SizeLimit& limit);

/// Whether `a` is above `b`. False if one of them is a number of voxels, an area or a volume, and the other is not.
bool is_above(const SizeLimit& a, const SizeLimit& b);

/// A distance in a unit of length.
struct Distance {
    double amount = 0;
    io::LengthUnit unit = io::LengthUnit::mm;
};

// {500, um} -> "500um"
std::string text_of(const Distance& distance);

/// How far the corners of two grids may be apart.
struct GridTolerance {
    double amount = 0.01;
    std::optional<io::LengthUnit> unit{};                                               // empty: parts of the smallest edge of a voxel
    enum class Compare : std::uint8_t { corners, nothing } compare = Compare::corners;  // nothing: the grids may differ
    bool operator==(const GridTolerance&) const = default;
};

}  // namespace voxcc
