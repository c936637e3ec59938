// A labelled array: its count, its table, and its labels.
#pragma once
#include "python/src/components.h"
#include "python/src/images.h"
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
    /// Whether the table has the columns of add_shape().
    enum class Shape : std::uint8_t { leave_out, measure };
    /// The table of Components, and the columns of add_images() and add_shape().
    nb::dict table(const Spacing& spacing, const Images& images, Shape shape);
    /// Lets select() drop all components without a seed: a voxel of an array that fulfils a rule. Must be called without the GIL.
    /// @param voxels of the shape of the labelled array
    void require_seeds(const Array& voxels, const ForegroundRule& rule);
    /// Calls row(y, z, labels) for every row of the engine, in ascending order. No label volume is made. Must be called without the GIL.
    void for_each_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row);

protected:
    std::uint64_t engine_count() const override { return labelling_->count(); }
    SumTable engine_sums() override { return labelling_->measure(); }
    std::vector<std::uint64_t> engine_sizes() override { return component_sizes(*labelling_); }
    std::vector<std::uint64_t> engine_values() override { return labelling_->source_values(); }

private:
    /// Adds rows of images to their sums, by the numbers that the labelling is prepared to paint.
    /// @tparam Number the prepared type
    template <class Number>
    void add_rows(std::vector<IntensitySums>& sums, std::span<RowSource* const> images, RowRange rows) const;
    /// The sums of all images by final number, in one pass. Must be called without the GIL.
    std::vector<MeasuredImage> measure(const Images& images);
    void paint_as(const Array& labels, std::span<const std::uint64_t> numbers);
    void add_shape_to(Columns& columns, const Spacing& spacing);

    CallPool pool_;
    std::int64_t nan_voxels_ = 0;
    std::unique_ptr<Labelling> labelling_;
};

}  // namespace voxcc::python
