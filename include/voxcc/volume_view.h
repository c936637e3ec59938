// Views of voxels and labels in host memory, at any distances between neighbouring voxels.
#pragma once
#include <voxcc/volume.h>

namespace voxcc {

/// Distances in bytes between neighbouring voxels along x, y and z. They may be negative.
// 4 x 2 x 1 voxels of u16, x fastest: {2, 8, 16}
using Strides = std::array<std::int64_t, 3>;

/// Voxels in host memory. The caller owns them. They must stay allocated and unchanged until the last call of Labelling::paint().
struct VolumeView {
    const std::byte* voxels = nullptr;  // the voxel (0, 0, 0); the pointer and all strides must be aligned for the type
    ScalarType type = ScalarType::u8;
    Extent extent;
    Strides strides{};
};

/// Labels in host memory, one integer per voxel. The caller owns them. Labels of different voxels must not overlap.
struct LabelView {
    std::byte* labels = nullptr;  // the label of voxel (0, 0, 0); the pointer and all strides must be aligned for the type
    ScalarType type = ScalarType::u32;
    Strides strides{};
};

/// Strides of nx * ny * nz elements without gaps, x fastest: a C array [z][y][x].
// {4, 2, 1}, 2 bytes -> {2, 8, 16}
constexpr Strides dense(const Extent& extent, std::int64_t element_bytes) {
    return {element_bytes, element_bytes * extent.nx, element_bytes * extent.nx * extent.ny};
}

/// A view of voxels without gaps, x fastest: a C array [z][y][x].
template <class T>
VolumeView view(const T* voxels, const Extent& extent) {
    return {reinterpret_cast<const std::byte*>(voxels), scalar_type_of<T>(), extent, dense(extent, sizeof(T))};
}

/// A view of voxels at any strides.
/// @param voxels_apart strides in voxels, not in bytes
// A Fortran array a(nx, ny, nz), numbered by its first index first: extent {nx, ny, nz}, strides {1, nx, nx * ny}
// The same array, numbered by its last index first: extent {nz, ny, nx}, strides {nx * ny, nx, 1}
template <class T>
VolumeView view(const T* voxels, const Extent& extent, const Strides& voxels_apart) {
    constexpr auto bytes = std::int64_t(sizeof(T));
    return {reinterpret_cast<const std::byte*>(voxels),
            scalar_type_of<T>(),
            extent,
            {bytes * voxels_apart[0], bytes * voxels_apart[1], bytes * voxels_apart[2]}};
}

}  // namespace voxcc
