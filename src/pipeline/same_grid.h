// The grid of a run: masks and intensity images must have the grid of the volume, and a volume without a size of voxels takes theirs.
#pragma once
#include "io/io.h"
#include "src/options/options.h"

#include <span>
#include <string>
#include <vector>

namespace voxcc {

/// Checks two NumPy files: array[index] must be the same voxel in both if their shapes are equal. Does nothing for other files.
/// @throw Error invalid_file
// shapes (9, 9, 9), C order and Fortran order  ->  Error; (4, 5, 6) in C order and (6, 5, 4) in Fortran order  ->  accepted
void require_same_array_order(const io::VolumeInfo& volume, const io::VolumeInfo& other);

/// The difference of two grids of one extent, for messages; empty if the corners are within the tolerance. The corner voxels of both grids
/// are compared in the affines if both files have one, else in the spacings. A file without a size of voxels has no difference, and neither
/// have files if one of their units is unknown. An affine that is singular or not finite counts as absent.
// "has the spacing 1 x 1 x 2 mm, but a.nii has 1 x 1 x 1 mm; corners are 63 mm apart"
std::string difference_of_grids(const io::VolumeInfo& volume, const io::VolumeInfo& other, const GridTolerance& tolerance);

/// Checks that two volumes have the same grid: the extents must be equal, and difference_of_grids() must be empty. NumPy files must also
/// pass require_same_array_order(). @return a note if the tolerance ignores a difference, else an empty text
/// @throw Error invalid_file, which states both files and both values
std::string require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other, const GridTolerance& tolerance);

/// Checks the grids of all companions of a volume, and gives a volume without a size of voxels the geometry of the first companion that
/// states one. @return notes, one line each. @throw Error as require_same_grid()
std::vector<std::string> settle_grid(io::VolumeReader& volume, std::span<const io::VolumeInfo* const> companions,
                                     const GridTolerance& tolerance);

/// Describes an input as settle_grid() leaves it: without a size of voxels, it has the geometry of the first companion of its extent that
/// states one. @param companions paths of intensity images and masks; those that cannot be read have no effect
/// @throw the exceptions of describe_input()
io::VolumeInfo describe_with_grid(const std::string& input, const InputOptions& options, const std::vector<std::string>& companions);

}  // namespace voxcc
