// Matches the objects of two label images.
#pragma once
#include "python/src/device_labelled.h"
#include "python/src/label_image.h"

#include <voxcc/match.h>

namespace voxcc::python {

/// How objects are matched.
struct Matching {
    MatchRule rule;
    Assignment assignment;
    double least_change;
    std::uint64_t min_lesion;  // voxels: see lesion_metrics_of()
};

/// The voxels that the labels of two images of one shape share, partners, changes and metrics: a dict with
///  - pairs: one row per pair of labels that share voxels, in ascending order. Columns: a, b, voxels, iou, dice, fraction_a, fraction_b;
///  - objects_a, objects_b: one row per label, in ascending order. Columns: label, voxels, has_partner, partner, iou, dice, distance (of
///    the centroids), change (the index in Change), voxel_change. Of several partners, the one that shares the most voxels. Without a
///    partner, the columns from partner to distance are 0 or NaN;
///  - metrics: the members of MatchMetrics and LesionMetrics.
/// @param dilation of lesions: see DilatedLesions @param spacing of the distances @param threads 0: threads_of_call() decides
nb::dict match_labels(const Array& a, const Array& b, const Matching& matching, std::int64_t dilation, const Spacing& spacing, int threads);

/// The same for arrays on a device, where shared voxels and sums are counted. The rest is computed on the host.
/// @param a integers in one piece, not empty @param b integers
nb::dict match_on_device(const DeviceArray& a, const DeviceVoxels& b, const Matching& matching, const Spacing& spacing);

}  // namespace voxcc::python
