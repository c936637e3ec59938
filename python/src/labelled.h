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
    double delta = 0;       // Rule::gradient: the largest difference of the values of connected voxels
    unsigned periodic = 0;  // bit a: the array wraps around along axis a
    Order order = Order::c;
    int slice_axis = Axes::none;
    int threads = 0;  // 0: threads_of_call() decides
};

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
    /// Drops components, and numbers the others again. May be called once, instead of select().
    /// @param kept one entry per row of the table, not 0 for components that are kept
    void select_rows(std::span<const std::uint8_t> kept);
    /// What paint() writes: the number of each voxel, or 1 for each voxel of a kept component.
    enum class Painted { numbers, mask };
    /// @param labels of the shape of the voxels
    void paint(const Array& labels, Painted painted);
    /// One row per component. See add_properties() for the columns; also label, touches_border, and value if equal values are connected.
    nb::dict table(const Spacing& spacing, const Array* intensity);

private:
    void measure();
    void apply(Selection selection);
    std::uint64_t row_of(std::uint64_t number) const { return rows_.empty() ? number - 1 : rows_[number - 1]; }
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
