// Contacts between the labels of a label volume.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/labelling.h>
#include <voxcc/statistics.h>

#include <array>
#include <vector>

namespace voxcc {

/// The neighbouring voxels with two different labels. Labels are 64-bit patterns; signed labels are sign-extended.
struct LabelContact {
    std::uint64_t a = 0, b = 0;            // a is less than b as unsigned integers; neither is 0
    std::array<std::uint64_t, 3> faces{};  // pairs of voxels that share a face, by the axis across which they touch: x, y, z
    std::uint64_t edges = 0, corners = 0;  // pairs of voxels that share only an edge or a corner, as far as the connectivity has them
    bool operator==(const LabelContact&) const = default;
};

/// Counts the pairs of neighbouring voxels with different labels. 0 is background. Each thread holds two slices of labels.
/// @param labels a source of integers. Only its fetch() and values() are used. Its slices are fetched in ascending order, by one thread, if
///     the source is read in order, else by the threads of the pool
/// @param memory limit for the pairs; null: none
/// @return one entry per pair of labels, in ascending order of (a, b)
/// @throw Error invalid_argument if the values are not integers; MemoryLimitReached; the exceptions of the source
// [1 1 2 / 1 3 2], c4  ->  {1, 2, faces {1, 0, 0}}, {1, 3, faces {1, 1, 0}}, {2, 3, faces {1, 0, 0}}
std::vector<LabelContact> label_contacts(block_runs::RowSource& labels, const Extent& extent, Connectivity connectivity, ThreadPool& pool,
                                         MemoryLimit* memory = nullptr);

/// Bytes that label_contacts() holds per thread, without the buffers of the source.
std::int64_t contact_bytes_per_thread(const Extent& extent);

/// The areas of the faces of a voxel across i, j and k, in mm2.
// steps of 2, 3 and 5 mm at right angles  ->  {15, 10, 6}
std::array<double, 3> face_areas(const World& world);

}  // namespace voxcc
