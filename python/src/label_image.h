// Functions of an existing label image: an array of integers, where 0 is background.
#pragma once
#include "python/src/columns.h"

#include <voxcc/connectivity.h>

namespace voxcc::python {

/// One row per label, in ascending order. Columns: label (int64; uint64 for arrays of uint64), and the columns of add_properties() and
/// add_intensities().
/// @param intensity null, or an array of the same shape
/// @param threads 0: threads_of_call() decides
nb::dict measure_labels(const Array& labels, const Array* intensity, const Spacing& spacing, int threads);

/// One row per pair of labels that touch. Columns: a, b (a < b), faces_A for each axis A, edges_and_corners.
nb::dict contacts_of_labels(const Array& labels, Connectivity connectivity, int threads);

}  // namespace voxcc::python
