// Labels a volume with any algorithm of the registry, on any device.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/labelling.h>
#include "kernels3d/algorithms/published_run.h"
#include "kernels3d/exec/executor.h"

namespace voxcc {

/// As block_runs::label(), with any algorithm on any device. Published algorithms need 5 bytes per voxel: 1 for the voxel, 4 for the label.
/// Rules that compare values need 8 bytes per voxel more.
/// @param row the algorithm
/// @param device must be a result of present()
/// @throw Error usage if the algorithm does not support the request (rule, connectivity, periodic axes, more than 2^31 - 1 voxels, several
///              devices); no_device; out_of_memory (host or device); what the source throws
std::unique_ptr<block_runs::Labelling> label(const AlgorithmRow& row, const Device& device, const block_runs::Request& request,
                                             block_runs::RowSource& source, ThreadPool& pool);

/// Runs a published algorithm on a volume in host memory. For tests and bench.
/// @param row the algorithm; must support the connectivity
/// @param voxels [z][y][x], 0 is background
/// @param labels [z][y][x], receives 1..K by first voxel
/// @param values in host memory, for algorithms with rules that compare values
/// @throw Error usage if the algorithm does not compute properties early, or if second moments may not fit into 64 bits
///              (second_moments_fit()); no_device; out_of_memory (host or device)
PublishedRun run_published(const AlgorithmRow& row, const Device& device, const Extent& extent, Connectivity connectivity,
                           const std::uint8_t* voxels, std::uint32_t* labels, ThreadPool& pool,
                           algorithms::Measure measure = algorithms::Measure::none, const algorithms::Values& values = {},
                           exec::Timing timing = exec::Timing::each);

/// The table of sums of a run.
/// @param run must have properties of Measure::late
SumTable sum_table(const PublishedRun& run);

}  // namespace voxcc
