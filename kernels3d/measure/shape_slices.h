// Counts the voxels of one slice with their earlier neighbours, per component.
#pragma once
#include <voxcc/shape.h>
#include "kernels3d/measure/labelled_slice.h"

#include <functional>

namespace voxcc {

/// How the slices of a volume are counted.
struct SliceRules {
    /// Whether neighbouring voxels that are foreground always have the same label, or have to be compared.
    enum class Neighbours : std::uint8_t { same_label, compare };
    Cells cells = Cells::closed;
    Neighbours neighbours = Neighbours::compare;
    std::int64_t around_x = 0;  // number of columns if the volume wraps around in x; 0 if it does not
    Isa isa = default_isa();
};

/// Calls add(label, counts) for the labels of a slice; a label may occur several times. Each voxel is counted with its 13 earlier
/// neighbours. The rows -1 and ny of both slices must be set if the volume wraps around in y.
/// @param below the slice before, or an empty slice
void count_slice(const LabelledSlice& below, const LabelledSlice& own, const SliceRules& rules,
                 const std::function<void(std::uint32_t, const ShapeCounts&)>& add);

}  // namespace voxcc
