// Paints the labels of a labelling into host memory, at any strides.
#pragma once
#include <voxcc/labelling.h>
#include <voxcc/volume_view.h>

#include <functional>

namespace voxcc {

/// A labelling that paints rows in any order in the same time, because all of it is in memory.
class PaintsInAnyOrder {
public:
    virtual ~PaintsInAnyOrder() = default;
};

/// Writes one label per voxel. Rows whose labels lie side by side are written in place. Other strides take longer, in particular with
/// labellings that are not PaintsInAnyOrder and labels that lie side by side along z.
/// @param labels its labels may begin at any multiple of the size of a label. A signed type is written as the unsigned type of its size
/// @param final_numbers must be empty or have labelling.count() entries: label k is written as final_numbers[k - 1]. 0 is background
/// @param before_rows is called before every few rows, by the thread that paints them; may throw, which ends the painting
/// @throw Error labels_too_large if the type cannot hold the largest number, invalid_argument if it is not an integer type; the exceptions
///     of the labelling
void paint(
    block_runs::Labelling& labelling, const Extent& extent, const LabelView& labels, std::span<const std::uint64_t> final_numbers,
    ThreadPool& pool, const std::function<void()>& before_rows = [] {});

}  // namespace voxcc
