// Labels a volume by a row of the registry, on the device asked for.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/labelling.h>
#include "kernels3d/algorithms/published_run.h"
#include "kernels3d/exec/executor.h"

namespace voxcc {

/// As block_runs::label, by any algorithm on any device, whose numbers are known (present()). Published algorithms hold the volume as 1
/// byte and a label of 4 bytes a voxel, and values of 8 bytes a voxel where the rule looks at them.
/// @throw Error usage where the row does not do what is requested (rule, periodic axes, more than 2^31 - 1 voxels, several devices);
///              no_device, out_of_memory (host or device); what the source throws
std::unique_ptr<block_runs::Labelling> label(const AlgorithmRow& row, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool);

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
