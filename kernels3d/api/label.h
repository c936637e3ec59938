// Labels the rows of a source with any algorithm of the registry, on any device.
#pragma once
#include <voxcc/device.h>
#include "kernels3d/engine/request.h"

namespace voxcc {

/// See label() in voxcc/label.h.
/// @param device must be a result of require_device()
/// @param slices_per_slab, subject see Execution
std::unique_ptr<Labelling> label(const Algorithm& algorithm, const Device& device, const block_runs::Request& request, RowSource& source,
                                 ThreadPool& pool, std::int64_t slices_per_slab = 0, const std::string& subject = "volume");

}  // namespace voxcc
