// Functions of an existing label image: an array of integers, where 0 is background.
#pragma once
#include "python/src/columns.h"

#include <voxcc/connectivity.h>
#include <voxcc/contacts.h>
#include <voxcc/measure.h>

namespace voxcc::python {

/// Whether the voxels with label 0 get a row, if there are any.
enum class Background : std::uint8_t { left_out, measured };

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

/// The sums of all labels of some rows, and the sums of an intensity image by the numbers that LabelSums gives to the labels.
struct BothSums {
    LabelSums labels;
    IntensitySums intensities;

    BothSums(const Extent& extent, ScalarType intensity) : labels(extent), intensities(intensity, Powers::two) {}
    void add_rows(RowSource& from, RowSource& image, const Extent& e, RowRange rows);
    /// Adds the sums of later rows.
    void add(const BothSums& later);
};

/// The sums of all rows. Sums that are not exact depend on the order of the rows, so one thread adds them.
BothSums sum_both(RowSource& labels, RowSource& image, const Extent& e, ThreadPool& pool);

/// The columns of measure_labels().
/// @param intensities null, or sums by the index of the label + 1
nb::dict columns_of(const LabelTable& table, const IntensitySums* intensities, const LabelForm& form, const Spacing& spacing, int threads);

/// The columns of contacts_of_labels(). Must be called with the GIL.
/// @param threads at least 1
nb::dict contacts_of_rows(RowSource& rows, const LabelForm& form, Connectivity connectivity, int threads);

/// One row per label, in ascending order. Columns: label (int64; uint64 for arrays of uint64), and the columns of add_properties() and
/// add_intensities().
/// @param intensity null, or an array of the same shape; must be null if the background is measured
/// @param threads 0: threads_of_call() decides
nb::dict measure_labels(const Array& labels, const Array* intensity, Background background, const Spacing& spacing, int threads);

/// One row per pair of labels that touch. Columns: a, b (a < b), faces_A for each axis A, edges_and_corners.
nb::dict contacts_of_labels(const Array& labels, Connectivity connectivity, int threads);

}  // namespace voxcc::python
