// Labels of a volume in the order in which it is stored, whatever axes were exchanged to label it.
#pragma once
#include <voxcc/labelling.h>
#include "src/cli/options.h"

namespace voxcc {

/// Sums as if measured on the stored axes. @param slices as in HeldBits
WideSums restore_axes(const WideSums& sums, Axis slices);

class Painter {
public:
    /// Prepares the labels 1.. in `type`; across x the whole volume is painted here, once, and held.
    /// @param final_numbers as in Labelling::prepare_paint
    Painter(block_runs::Labelling& labelling, const Extent& stored, Axis slices, ScalarType type,
            const std::vector<std::uint64_t>& final_numbers, ThreadPool& pool);
    ScalarType type() const { return type_; }
    /// Labels of stored rows in raster order. Thread-safe.
    void paint(RowRange rows, std::byte* out, block_runs::Stores stores) const;

private:
    const block_runs::Labelling& labelling_;
    Extent stored_;
    Axis slices_;
    ScalarType type_;
    std::vector<std::byte> held_;  // across x: the labels in exchanged order
};

}  // namespace voxcc
