// Late computation of properties as published: every voxel adds its own values to the slot of its component.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section III-D (the kernel "Properties Sum");
// Hennequin, Lacassagne, Cabaret, Meunier, "A new direct connected component labeling and analysis algorithm for GPUs", 2018, section II-C
// and figure 6 (the "naive" computation of features after labelling). The first paper has moments, the second paper moments and boxes.
// Idea: one thread per voxel, and one atomic operation per voxel and value. All voxels of a component change the same words, which
// serialises them. late.h gives the same sums with far fewer atomic operations.
// Memory: as late.h.
#pragma once
#include "kernels3d/on_voxels/properties.h"

namespace voxcc::algorithms {

/// Phase: adds a voxel to its component.
template <int D>
struct AddVoxel {
    exec::Grid size;
    exec::Pointer<const std::uint32_t> labels;
    Slots<D> slots;
    VOXCC_HD void operator()(const exec::Cell& c) const {
        const std::uint32_t label = labels[(std::int64_t(c.z) * size.y + c.y) * size.x + c.x];
        if (label != 0) slots.add_as_published(label, part_of_line<0, D>(Line::stretch(c.x, 1), c));
    }
};

/// As sum_columns() (late.h), but adds voxel by voxel.
template <int D, class Executor>
void sum_voxels(Executor& executor, const Problem& problem, const Slots<D>& slots) {
    executor.for_each("properties", problem.size, AddVoxel<D>{problem.size, problem.labels, slots});
}

}  // namespace voxcc::algorithms
