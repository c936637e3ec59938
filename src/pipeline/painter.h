// Paints labels in the order of the stored axes, also if axes were exchanged for labelling.
#pragma once
#include <voxcc/periodic.h>
#include "src/options/options.h"

namespace voxcc {

/// The extent after the exchange of axes. @param slices axis across the slices, see VolumeBits
// {4, 3, 2}: Axis::y -> {4, 2, 3}, Axis::x -> {3, 2, 4}
Extent exchanged(const Extent& stored, Axis slices);

/// Converts sums from the exchanged axes to the stored axes. @param slices axis across the slices, see VolumeBits
WideSums restore_axes(const WideSums& sums, Axis slices);

/// Elements for the axes of the engine, as elements for the stored axes.
// slices across x, {a of y, b of z, c of x}  ->  {c, a, b}
template <class T>
std::array<T, 3> restore_axes(const std::array<T, 3>& of_engine, Axis slices) {
    const auto& [a, b, c] = of_engine;
    if (slices == Axis::x) return {c, a, b};
    if (slices == Axis::y) return {a, c, b};
    return of_engine;
}

/// Paints the labels of a labelling. The labelling must outlive the painter.
class Painter {
public:
    /// Prepares painting in `type`. For Axis::x it paints the complete volume, and holds it in memory.
    /// @param stored extent of the stored volume
    /// @param slices axis across the slices, see VolumeBits
    /// @param final_numbers see Labelling::prepare_paint()
    Painter(block_runs::Labelling& labelling, const Extent& stored, Axis slices, ScalarType type,
            const std::vector<std::uint64_t>& final_numbers, ThreadPool& pool);
    /// Same, for the numbers of sections: see Labelling::prepare_sections().
    Painter(block_runs::Labelling& labelling, const Extent& stored, Axis slices, ScalarType type, const KeptSections& sections,
            ThreadPool& pool);
    ScalarType type() const { return type_; }
    /// Writes the labels of rows of the stored volume, x fastest. Thread-safe.
    /// @param out must hold rows.count * nx labels, aligned for the type
    void paint(RowRange rows, std::byte* out, block_runs::Stores stores) const;

private:
    void hold_volume(ThreadPool& pool);
    const block_runs::Labelling& labelling_;
    Extent stored_;
    Axis slices_;
    ScalarType type_;
    std::vector<std::byte> volume_;  // for Axis::x: all labels, in the order of the exchanged axes
};

/// Calls f(row, labels) for all rows in order. @param painter of ScalarType::u64
template <class F>
void for_each_painted_row(const Painter& painter, const Extent& extent, const F& f) {
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        painter.paint({row, 1}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::cached);
        f(row, std::span<const std::uint64_t>(labels));
    }
}

}  // namespace voxcc
