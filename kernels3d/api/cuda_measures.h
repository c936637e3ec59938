// Declares the instances of shape counts and contacts for CUDA, which are compiled in cuda_measures.cu and cuda_measures_values.cu. Each
// file with a tile engine for CUDA includes this header, so that they are compiled once.
#pragma once
#include "kernels3d/api/cuda.h"
#include "kernels3d/engine/tiles/label.h"

/// Declares (extern template) or defines (template) the instances for a rule.
#define VOXCC_COUNT_SHAPES(CONNECTIVITY, TEMPLATE, RULE)                                                     \
    TEMPLATE exec::Array<ShapeRow> count_shapes<Connectivity::CONNECTIVITY, Rule::RULE, exec::CudaExecutor>( \
        exec::CudaExecutor&, const TileArrays&, Axes, const uint32_t*, uint32_t);
#define VOXCC_COUNT_SHAPES_OF_RULE(TEMPLATE, RULE) VOXCC_PER_CONNECTIVITY(VOXCC_COUNT_SHAPES, TEMPLATE, RULE)
#define VOXCC_FIND_CONTACTS(CONNECTIVITY, TEMPLATE, RULE)                                                         \
    TEMPLATE std::vector<LabelContact> find_contacts<Connectivity::CONNECTIVITY, Rule::RULE, exec::CudaExecutor>( \
        exec::CudaExecutor&, const TileArrays&, uint32_t, const uint32_t*, Connectivity, MemoryLimit*);

namespace voxcc::block_runs::tiles {

VOXCC_COUNT_SHAPES_OF_RULE(extern template, foreground)
VOXCC_COUNT_SHAPES_OF_RULE(extern template, equal_values)
VOXCC_FIND_CONTACTS(c4, extern template, foreground)
VOXCC_FIND_CONTACTS(c6, extern template, foreground)
VOXCC_FIND_CONTACTS(c18, extern template, foreground)
VOXCC_FIND_CONTACTS(c4, extern template, equal_values)
VOXCC_FIND_CONTACTS(c6, extern template, equal_values)

}  // namespace voxcc::block_runs::tiles
