// Labels a volume by a row of the registry, on the device asked for.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/labelling.h>
#include "kernels3d/algorithms/published_run.h"
#include "kernels3d/exec/executor.h"

namespace voxcc {

/// Runs a published algorithm on host memory; transfers are not among the phases. For tests and bench.
/// @param voxels [z][y][x], 0 is background
/// @param labels receives 1..K by first voxel
/// @param values in host memory, for rows that support rules that look at them
/// @throw Error usage where the row does not compute early, or second moments may not fit 64 bits (second_moments_fit); no_device,
///              out_of_memory (host or device)
PublishedRun run_published(const AlgorithmRow& row, const Device& device, const Extent& extent, Connectivity connectivity,
                           const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool,
                           algorithms::Measure measure = algorithms::Measure::none, const algorithms::Values& values = {},
                           exec::Timing timing = exec::Timing::each);

/// @param run with late properties
SumTable sum_table(const PublishedRun& run);

}  // namespace voxcc
