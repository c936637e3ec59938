// Functions of an existing label image: an array of integers, where 0 is background.
#pragma once
#include "python/src/columns.h"

#include <voxcc/connectivity.h>

namespace voxcc::python {

/// Whether the voxels with label 0 get a row, if there are any.
enum class Background : std::uint8_t { left_out, measured };

/// One row per label, in ascending order. Columns: label (int64; uint64 for arrays of uint64), and the columns of add_properties() and
/// add_intensities().
/// @param intensity null, or an array of the same shape; must be null if the background is measured
/// @param threads 0: threads_of_call() decides
nb::dict measure_labels(const Array& labels, const Array* intensity, Background background, const Spacing& spacing, int threads);

/// One row per pair of labels that touch. Columns: a, b (a < b), faces_A for each axis A, edges_and_corners.
nb::dict contacts_of_labels(const Array& labels, Connectivity connectivity, int threads);

}  // namespace voxcc::python
