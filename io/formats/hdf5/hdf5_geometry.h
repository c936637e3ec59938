// The spatial axes of a dataset, and the position and size of its voxels.
#pragma once
#include "io/formats/hdf5/hdf5_dataset.h"

namespace voxcc::io::hdf5 {

/// The axes of a dataset. Spatial axes keep their stored order; x is the last (fastest) of them.
struct Axes {
    std::optional<std::size_t> z;  // empty for a single slice
    std::size_t y = 0, x = 0;
    std::vector<std::size_t> volumes;  // axes that count volumes (channels, times), slowest first
    std::vector<std::string> names;    // name per axis; "" if the file has none
    Extent extent(const StoredDataset& dataset) const;
    std::int64_t count(const StoredDataset& dataset) const;  // number of volumes
    /// @return text for messages about --volume: "axis 3 (c) of 4"
    std::string volumes_text(const StoredDataset& dataset) const;
};

/// Finds the axes from, in this order: the layout of ITK (components last); the attribute `axistags` of ilastik or `DIMENSION_LABELS` of
/// dimension scales, if they name c or t; otherwise, axes of length 1 are dropped from the end and then the start until three remain, and
/// leading axes that are still too many count volumes.
/// @throw Error about the content if the dataset has fewer than two axes, more than three spatial axes, or no voxels
Axes axes_of(const File& file, const StoredDataset& dataset);

/// Reads the geometry from, in this order:
///  - Spacing, Origin and Directions of ITK beside /ITKImage/N/VoxelData (LPS, converted to RAS),
///  - `affine` (4x4 numbers, voxel i j k to RAS mm, as voxcc writes), beside `element_size_um` or `resolution`,
///  - `element_size_um` (z, y, x; as PlantSeg and voxcc write),
///  - `resolution` (z, y, x) in `unit`.
/// Lengths are in the unit of the attribute `unit` if it is a unit of length. Otherwise an affine is in mm, element_size_um is in um, and
/// the unit of `resolution` is unknown. The notes state which attributes are unclear or contradict each other.
Geometry geometry_of(const File& file, const StoredDataset& dataset);

}  // namespace voxcc::io::hdf5
