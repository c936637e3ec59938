// Which axes of a dataset are space, and where its voxels lie.
#pragma once
#include "io/hdf5/hdf5_dataset.h"

namespace voxcc::io::hdf5 {

/// The axes of a dataset. Space keeps the stored order, x being the last (fastest) of its axes.
struct Axes {
    std::optional<std::size_t> z;  // none: an image of one slice
    std::size_t y = 0, x = 0;
    std::vector<std::size_t> volumes;  // channels, times: axes along which volumes lie, slowest first
    std::vector<std::string> names;    // of every axis, "" if the file has none
    Extent extent(const StoredDataset& dataset) const;
    std::int64_t count(const StoredDataset& dataset) const;  // of volumes
    /// "axis 3 (c) of 0..3": for a message that asks for --volume.
    std::string volumes_text(const StoredDataset& dataset) const;
};

/// Found by, in this order: ITK's layout (components last); ilastik's attribute `axistags` or the dimension scales' `DIMENSION_LABELS`,
/// where they name c or t; else the axes over three, of which trailing and then leading ones of length 1 are dropped, lead.
/// @throw Error bad_data if the dataset has fewer than two axes, more than three of space, or no voxels
Axes axes_of(const File& file, const StoredDataset& dataset);

/// From, in this order:
///  - ITK's Spacing, Origin and Directions beside /ITKImage/N/VoxelData (LPS, turned to RAS here),
///  - `affine` (4x4 numbers, voxel i j k to RAS mm: what we write), and `element_size_um` (z, y, x; PlantSeg's, and what we write),
///  - `resolution` (z, y, x) if `unit` says nm, um or mm.
/// What is there but unclear goes to `warnings`.
Geometry geometry_of(const File& file, const StoredDataset& dataset, std::vector<std::string>& warnings);

}  // namespace voxcc::io::hdf5
