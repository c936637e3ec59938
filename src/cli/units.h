// The units of lengths in tables, and sizes and distances with a unit.
#pragma once
#include <voxcc/shape.h>

#include <string>
#include <string_view>

namespace voxcc {

/// The unit of positions and lengths. voxel: positions are voxel indices, and the steps between voxels have the length 1.
enum class Units : std::uint8_t { mm, um, nm, voxel };

// um -> "um"
std::string_view name_of(Units units);

/// A size of components. The amount is a number of voxels, or an area or a volume in a unit of length.
struct SizeLimit {
    double amount = 0;
    Units unit = Units::voxel;
    Space space = Space::volume;  // plane: an area; not used for voxels
};

// {5, mm, plane} -> "5mm2"; {100} -> "100"
std::string text_of(const SizeLimit& limit);

/// Whether `a` is above `b`. False if one of them is a number of voxels, an area or a volume, and the other is not.
bool is_above(const SizeLimit& a, const SizeLimit& b);

/// A distance in a unit of length.
struct Distance {
    double amount = 0;
    Units unit = Units::mm;
};

// {500, um} -> "500um"
std::string text_of(const Distance& distance);

}  // namespace voxcc
