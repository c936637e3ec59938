// Matches the objects of two label images.
#pragma once
#include "python/src/label_image.h"

#include <voxcc/match.h>

namespace voxcc::python {

/// The voxels that the labels of two images of one shape share, partners, changes and metrics: a dict with
///  - pairs: one row per pair of labels that share voxels, in ascending order. Columns: a, b, voxels, iou, dice, fraction_a, fraction_b;
///  - objects_a, objects_b: one row per label, in ascending order. Columns: label, voxels, has_partner, partner, iou, dice, distance (of
///  the
///    centroids), change (the index in Change), voxel_change. Of several partners, the one that shares the most voxels. Without a partner,
///    the columns from partner to distance are 0 or NaN;
///  - metrics: the members of MatchMetrics.
/// @param spacing of the distances @param threads 0: threads_of_call() decides
nb::dict match_labels(const Array& a, const Array& b, const MatchRule& rule, Assignment assignment, double least_change,
                      const Spacing& spacing, int threads);

}  // namespace voxcc::python
