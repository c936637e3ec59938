// Functions of an existing label image: an array of integers, where 0 is background.
#pragma once
#include "python/src/images.h"
#include "python/src/shape_columns.h"

#include <voxcc/connectivity.h>
#include <voxcc/contacts.h>
#include <voxcc/measure.h>

namespace voxcc::python {

/// Whether the voxels with label 0 get a row, if there are any.
enum class Background : std::uint8_t { left_out, measured };

/// Whether the label with the bits a comes before the label with the bits b.
bool is_less(ScalarType type, std::uint64_t a, std::uint64_t b);

/// The positions of labels, in ascending order of the labels.
std::vector<std::size_t> ascending_labels(const std::vector<std::uint64_t>& labels, ScalarType type);

/// Adds a column of labels: int64, or uint64 for labels of this type. @param label called as label(row): the bits of a label
void add_labels(Columns& columns, const char* name, ScalarType type, const std::function<std::uint64_t(std::size_t)>& label);

/// The form of a label image in any memory.
struct LabelForm {
    ScalarType type;
    Axes axes;
    int dimensions;
};

/// The sums of the labels of an image, in any order.
struct LabelTable {
    std::vector<std::uint64_t> labels;          // 0: the background
    std::function<WideSums(std::size_t)> sums;  // by the index of the label
};

/// The sums of all labels of some rows, and the sums of images by the numbers that LabelSums gives to the labels.
struct BothSums {
    LabelSums labels;
    std::vector<IntensitySums> intensities;

    BothSums(const Extent& extent, std::span<RowSource* const> images);
    void add_rows(RowSource& from, std::span<RowSource* const> images, const Extent& e, RowRange rows);
    /// Adds the sums of later rows.
    void add(const BothSums& later);
};

/// The sums of all rows.
BothSums sum_both(RowSource& labels, std::span<RowSource* const> images, const Extent& e, ThreadPool& pool);

/// What measure_labels() measures beside the sums of positions.
struct LabelMeasures {
    std::vector<MeasuredImage> images;      // by the index of the label + 1
    std::vector<Images::Percent> percents;  // of each image
    std::optional<ShapeTable> shapes;       // by the index of the label
};

/// The columns of measure_labels().
nb::dict columns_of(const LabelTable& table, const LabelMeasures& measures, const LabelForm& form, const Spacing& spacing, int threads);

/// The columns of contacts_of_labels(). Must be called with the GIL.
/// @param threads at least 1
nb::dict contacts_of_rows(RowSource& rows, const LabelForm& form, Connectivity connectivity, int threads);

/// One row per label, in ascending order. Columns: label (int64; uint64 for arrays of uint64), and the columns of add_properties(),
/// add_images() and add_shape().
/// @param images of the same shape; must be empty if the background is measured
/// @param shape empty: no columns of add_shape(). Else the connectivity of the shapes; the background must not be measured
/// @param threads 0: threads_of_call() decides
nb::dict measure_labels(const Array& labels, const Images& images, Background background, std::optional<Connectivity> shape,
                        const Spacing& spacing, int threads);

/// One row per pair of labels that touch. Columns: a, b (a < b), faces_A for each axis A, edges_and_corners.
nb::dict contacts_of_labels(const Array& labels, Connectivity connectivity, int threads);

}  // namespace voxcc::python
