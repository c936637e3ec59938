// Parses values of options from the command line, the environment and the configuration file; numbers and words: arguments.h. Every
// function throws Error invalid_argument, which names the option, if the text is not exactly one valid value.
#pragma once
#include "src/options/arguments.h"
#include "src/options/options.h"

namespace voxcc {

/// The path without changes. Refuses an empty text, and texts that start with '-' except "-": the value is probably missing, and the text
/// is the next option.
std::string parse_path(const Argument& argument);

/// "X,Y,Z" in mm, positive and finite.
// "0.5,0.5,2" -> {0.5, 0.5, 2}
io::VoxelSize parse_spacing(const Argument& argument);

/// A number of bytes, at least 1. K M G T and KiB MiB GiB TiB are powers of 1024; KB MB GB TB are powers of 1000.
// "8GiB" -> 8589934592, "500MB" -> 500000000, "1.5K" -> 1536, "100000" -> 100000
std::int64_t parse_bytes(const Argument& argument);

/// A number of voxels, or a volume or an area with its unit. Blanks around the number and the unit are allowed.
// "100", "100vox" -> {100, voxel}; "5 mm3", "5mm^3" -> {5, mm, volume}; "0.5ml" -> {500, mm, volume}; "2um2" -> {2, um, plane}
SizeLimit parse_size_limit(const Argument& argument);

/// A distance in mm, or with its unit.
// "8" -> {8, mm}; "500 um" -> {500, um}
Distance parse_distance(const Argument& argument);
// "0.1" -> 0.1 of a voxel; "0.5mm" -> 0.5 mm; "ignore" -> grids are not compared
GridTolerance parse_tolerance(const Argument& argument);

/// "PATH" or "NAME=PATH", where NAME is a word of letters, digits and '_' that does not start with a digit. A file whose name is the
/// complete text is a PATH.
// "ct=scan.nii" -> {"ct", "scan.nii"}; "./a=b.nii" -> {"", "./a=b.nii"}
IntensityImage parse_intensity(const Argument& argument);

/// Percentages in [0, 100], separated by commas, each at most once.
// "5,50,95" -> {5, 50, 95}
std::vector<double> parse_percentiles(const Argument& argument);

/// Names of columns or groups, separated by commas, each at most once.
// "label,size" -> {"label", "size"}
std::vector<std::string> parse_columns(const Argument& argument);

/// A 0-based number, or the first and the last number of a range.
// "3" -> {3, 3}; "0..31" -> {0, 31}
PartRange parse_part_range(const Argument& argument);

/// A 0-based number or "all".
std::string parse_volume(const Argument& argument);

/// One or more of the letters x, y and z, each at most once.
std::string parse_axes(const Argument& argument);

/// "auto", or a text that device_of() accepts.
std::string parse_device(const Argument& argument);

}  // namespace voxcc
