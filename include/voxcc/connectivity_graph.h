// Components of a connectivity graph: a volume that states with bits to which of its neighbours each voxel is connected.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/volume.h>

#include <cstdint>
#include <span>

namespace voxcc {

/// Labels the components of a connectivity graph. All voxels belong to a component. Two neighbours are connected if the later voxel in
/// raster order (x fastest) has the bit of the step to the earlier voxel; the bit of the earlier voxel is not read.
/// Bits of uint32_t, and of uint8_t with c4 and c6: 0 to 5 are the faces +x -x +y -y +z -z. Bits 6 to 17 are the edges ++0 -+0 +-0 --0 +0+
/// -0+ 0++ 0-+ +0- -0- 0+- 0--, where the signs are the steps along x, y and z. Bits 18 to 25 are the corners +++ -++ +-+ --+ ++- -+- +--
/// ---. uint8_t with c8: bits 4 to 7 are the first four edges.
/// @tparam T uint8_t (c4, c6 or c8) or uint32_t
/// @param graph one value per voxel, x fastest, without gaps
/// @param labels must hold one label per voxel; receives 1..K by first voxel, x fastest
/// @return the number K of components
/// @throw Error invalid_argument if a bit of the connectivity does not fit T; invalid_extent if there are 2^32 - 1 voxels or more
// {3, 1, 1} voxels, c4, graph {0, 2, 0}: voxel 1 is connected to voxel 0  ->  labels {1, 1, 2}, returns 2
template <class T>
std::uint64_t label_connectivity_graph(std::span<const T> graph, const Extent& extent, Connectivity connectivity, std::uint32_t* labels);

}  // namespace voxcc
