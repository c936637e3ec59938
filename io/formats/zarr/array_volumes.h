// The volumes of an array: which axes are x, y and z, which axes count volumes, and where the voxels are.
#pragma once
#include "io/formats/zarr/hierarchy.h"
#include "io/formats/zarr/volume_chunks.h"

namespace voxcc::io::zarr {

/// The axes of an array. x is the last (fastest) axis of space, whatever it is called.
struct ArrayVolumes {
    std::vector<ZarrAxis> axes;        // slowest first
    std::vector<std::size_t> space;    // 2 or 3 axes, slowest first
    std::vector<std::size_t> volumes;  // axes that count volumes, slowest first
};

/// Finds the axes by the types that OME-Zarr states, else by the names c and t, else from the last three axes.
/// @throw Error invalid_file if the metadata do not fit the array, or state fewer than 2 or more than 3 axes of space
ArrayVolumes volumes_of(const ChosenArray& chosen, const std::string& subject);

/// @return the name of an axis that counts volumes, for selectors: "C" and "T", or its name in upper case
std::string volume_axis_name(const ZarrAxis& axis);

/// @return the axes of one volume. @param volume in [0, number of volumes); the fastest axis counts first
VolumeAxes volume_axes(const ArrayVolumes& volumes, std::int64_t volume);

/// @return a description of the volumes, without path, datasets, levels and chunks
VolumeInfo describe_array(const ChosenArray& chosen, const ArrayVolumes& volumes);

}  // namespace voxcc::io::zarr
