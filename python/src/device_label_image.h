// Functions of a label image in the memory of a CUDA device.
#pragma once
#include "python/src/device_labelled.h"
#include "python/src/label_image.h"

namespace voxcc::python {

/// The same columns as measure_labels(). Without an intensity, the device computes the sums: it labels the components of equal labels, and
/// the host adds up the sums of the components of each label. An intensity and its labels are copied to host memory and measured there.
/// @param labels an array of integers in one piece, that is not empty
nb::dict measure_on_device(const DeviceArray& labels, const DeviceVoxels* intensity, Background background, const Spacing& spacing);

/// The same columns as contacts_of_labels(). The labels are copied to host memory in windows, and compared there.
nb::dict contacts_on_device(const DeviceArray& labels, Connectivity connectivity);

/// Writes the new number of each voxel to an array of the layout of the labels. Waits for the stream.
/// @param labels an array of integers in one piece, that is not empty
/// @param out of an integer type
/// @return the column `label`: the labels that occur, without 0, in ascending order. int64, or uint64 for labels of uint64
nb::dict map_on_device(const DeviceArray& labels, const NewNumbers& numbers, const DeviceVoxels& out);

}  // namespace voxcc::python
