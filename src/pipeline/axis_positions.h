// The volumes at the positions that a selector gives on the axes of a file: by number, by the name of a channel, or all.
#pragma once
#include "io/io.h"
#include "src/pipeline/selector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace voxcc {

/// The axes on which a selector can choose positions, fastest first. A TIFF without an axis C or T has one of a single position.
std::vector<io::VolumeAxis> selectable_axes(const io::VolumeInfo& info);

/// The axis of this name. @param axes selectable_axes() of the file @param input subject of the error
/// @throw Error no_such_volume if the file has no such axis, or several
const io::VolumeAxis& axis_named(const std::string& input, char name, const std::vector<io::VolumeAxis>& axes);

/// The position with a name; case counts. @throw Error no_such_volume if the file does not state names, or if no position or several
/// positions have this name
// {"C", 3, {"DAPI", "CD3", "CD45"}}, "CD45" -> 2
std::int64_t position_named(const std::string& input, const std::string& name, const io::VolumeAxis& axis);

/// The numbers of the volumes at the positions of a selector, in ascending order. The selector must choose on axes.
/// @throw Error no_such_volume if the file does not have an axis or a position; several_volumes if the selector leaves out an axis
// axes C 2, T 3; [c=1,t=0..1]  ->  {1, 3}
std::vector<std::int64_t> numbers_of(const std::string& input, const Selector& selector, const io::VolumeInfo& info);

/// The axes of a file along which some of its volumes have several positions, fastest first: the axes of an output with these volumes.
/// Volumes that are not all combinations of their positions have one axis without a name.
/// @param numbers of the volumes @param axes of the file
// axes C 2, T 3; volumes 1, 3, 5  ->  T 3; volumes 0 to 2  ->  "" 3
std::vector<io::VolumeAxis> axes_along(const std::vector<std::int64_t>& numbers, const std::vector<io::VolumeAxis>& axes);

}  // namespace voxcc
