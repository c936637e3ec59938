// A labelled array: its count, its table, and its labels.
#pragma once
#include "python/src/components.h"
#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <voxcc/label.h>

namespace voxcc::python {

/// Labels an array in host memory in the constructor.
class Labelled : public Components {
public:
    /// @param mask null: no mask. Else of the same shape as the voxels
    /// @throw Error, nb::python_error
    Labelled(const Array& voxels, const Array* mask, const Options& options);
    /// The number of NaN voxels of the array.
    std::int64_t nan_voxels() const { return nan_voxels_; }
    /// @param labels of the shape of the voxels
    void paint(const Array& labels, Painted painted);
    /// Paints component k as numbers[k - 1], or as background if this is 0.
    /// @throw Error invalid_argument if the numbers are not one per component
    void paint(const Array& labels, std::span<const std::uint64_t> numbers);
    /// The table of Components, and the columns of add_intensities(). @param intensity null: without them
    nb::dict table(const Spacing& spacing, const Array* intensity);
    /// Calls row(y, z, labels) for every row of the engine, in ascending order. No label volume is made. Must be called without the GIL.
    void for_each_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row);

protected:
    std::uint64_t engine_count() const override { return labelling_->count(); }
    SumTable engine_sums() override { return labelling_->measure(); }
    std::vector<std::uint64_t> engine_sizes() override { return component_sizes(*labelling_); }
    std::vector<std::uint64_t> engine_values() override { return labelling_->source_values(); }

private:
    /// Adds rows of an image to sums, by the numbers that the labelling is prepared to paint.
    /// @tparam Number the prepared type
    template <class Number>
    void add_rows(IntensitySums& sums, RowSource& image, RowRange rows) const;
    /// The sums of an image by final number. Must be called without the GIL.
    IntensitySums intensity_sums(const Array& intensity);
    void paint_as(const Array& labels, std::span<const std::uint64_t> numbers);
    void add_intensity(Columns& columns, const Array& intensity);

    CallPool pool_;
    std::int64_t nan_voxels_ = 0;
    std::unique_ptr<Labelling> labelling_;
};

}  // namespace voxcc::python
