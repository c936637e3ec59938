// A labelled array: its count, its table, and its labels.
#pragma once
#include "python/src/axes.h"
#include "python/src/columns.h"
#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <voxcc/paint.h>
#include <voxcc/select.h>

namespace voxcc::python {

/// How an array is labelled. The Python side has checked all members.
struct Options {
    ForegroundRule foreground;
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    unsigned periodic = 0;  // bit a: the array wraps around along axis a
    Order order = Order::c;
    int slice_axis = Axes::none;
    int threads = 0;  // 0: threads_of_call() decides
};

/// An extent with the faces that touches_border() examines: an axis along which the array wraps around has length 1, and so has the axis
/// across which slices are separate.
Extent faces_of(const Axes& axes, const Options& options);

/// Adds the columns label, touches_border, and all columns of add_properties().
/// @param sums called as sums(row), in the axes of the engine
/// @param faces see faces_of()
void add_component_columns(Columns& columns, std::size_t rows, const std::function<WideSums(std::size_t)>& sums, const Axes& axes,
                           const Extent& faces, int dimensions, const Spacing& spacing);

/// Labels an array in the constructor. Components have the numbers 1..count() of the chosen order. select() changes them. All functions
/// must be called with the GIL, which they release while the engine runs.
class Labelled {
public:
    /// @param mask null: no mask. Else of the same shape as the voxels
    /// @throw Error, nb::python_error
    Labelled(const Array& voxels, const Array* mask, const Options& options);
    std::uint64_t count() const { return selected_ ? selection_.count : labelling_->count(); }
    /// The number of NaN voxels of the array.
    std::int64_t nan_voxels() const { return nan_voxels_; }
    /// Drops components, and numbers the others again. May be called once.
    void select(const Criteria& criteria);
    /// What paint() writes: the number of each voxel, or 1 for each voxel of a kept component.
    enum class Painted { numbers, mask };
    /// @param labels of the shape of the voxels
    void paint(const Array& labels, Painted painted);
    /// Paints component k as numbers[k - 1], or as background if this is 0.
    /// @throw Error invalid_argument if the numbers are not one per component
    void paint(const Array& labels, std::span<const std::uint64_t> numbers);
    /// One row per component. See add_properties() for the columns; also label, touches_border, and value if equal values are connected.
    nb::dict table(const Spacing& spacing, const Array* intensity);
    const Axes& axes() const { return axes_; }
    bool compares_values() const { return compares_values_; }
    /// The sums of the components, in the axes of the engine; row k - 1 for number k. Must be called without the GIL.
    const SumTable& sums();
    /// Number k belongs to row row_of(k) of sums().
    std::uint64_t row_of(std::uint64_t number) const { return rows_.empty() ? number - 1 : rows_[number - 1]; }
    /// The bits of the value of each component, as in Labelling::source_values(); entry row_of(k) for number k. Empty if values are not
    /// compared.
    std::vector<std::uint64_t> value_bits() const { return labelling_->source_values(); }
    /// Adds the column value: a value of the type of the array per component.
    void add_values(Columns& columns) const;
    /// Calls row(y, z, labels) for every row of the engine, in ascending order. No label volume is made. Must be called without the GIL.
    void for_each_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row);

private:
    void paint_as(const Array& labels, std::span<const std::uint64_t> numbers);
    std::vector<std::uint64_t> mask_numbers() const;
    void add_intensity(Columns& columns, const Array& intensity);

    Axes axes_;
    Extent faces_;  // for touches_border()
    int dimensions_;
    bool compares_values_;
    ScalarType type_;
    CallPool pool_;
    std::int64_t nan_voxels_ = 0;
    std::unique_ptr<block_runs::Labelling> labelling_;
    std::optional<SumTable> sums_;
    bool selected_ = false;
    Selection selection_;
    std::vector<std::uint64_t> final_;  // number of each component by its number in the engine - 1; empty: the same numbers
    std::vector<std::uint64_t> rows_;   // number in the engine - 1 by number - 1; empty: the same
};

}  // namespace voxcc::python
