// A labelled array in the memory of a CUDA device.
#pragma once
#include "python/src/components.h"

#include <voxcc/device.h>

namespace voxcc::python {

/// An array without gaps in the memory of a device.
struct DeviceArray {
    std::uintptr_t address;
    ScalarType type;
    std::vector<Py_ssize_t> shape;
    Order layout;  // c: the last axis is the fastest; f: the first axis
    int device;
    std::uintptr_t stream;  // a cudaStream_t that runs all work
    nb::object owner;       // exists as long as the labelling; for the owner of the stream
};

/// Voxels for the elements of a DeviceArray, in the same order, on the same device.
struct DeviceVoxels {
    std::uintptr_t address;
    ScalarType type;
};

/// The voxels of an array as a volume of the engine. @param extent in the order of the elements
StreamVolume volume_of(const DeviceArray& array, const DeviceVoxels& voxels, const Extent& extent);

/// Starts to label an array in the constructor. Components are compared in the order of the array in memory.
class DeviceLabelled : public Components {
public:
    /// @param mask null: no mask
    DeviceLabelled(const DeviceArray& array, const DeviceVoxels* mask, const Options& options);
    /// Starts to write labels.
    /// @param address an array without gaps of the layout of the voxels
    void paint(std::uintptr_t address, ScalarType type, Painted painted);
    /// Writes the number of each voxel, and adds up the sums of the components for table(), in one pass if the engine can. Waits for the
    /// stream.
    void paint_and_measure(std::uintptr_t address, ScalarType type);
    /// Starts to paint component k as numbers[k - 1], or as background if this is 0.
    /// @throw Error invalid_argument if the numbers are not one per component
    void paint_numbers(std::uintptr_t address, ScalarType type, std::span<const std::uint64_t> numbers);
    /// The table of Components, and the columns of add_intensities(). The intensity and the labels are copied to host memory in windows,
    /// and measured there. @param intensity null: without them
    nb::dict table(const Spacing& spacing, const DeviceVoxels* intensity);
    /// Starts to copy the number of components to the host. select() does not change this number.
    std::unique_ptr<StreamCount> send_count();

protected:
    std::uint64_t engine_count() const override { return labelling_->count(); }
    SumTable engine_sums() override { return labelling_->measure(); }
    std::vector<std::uint64_t> engine_values() override { return labelling_->source_values(); }

private:
    void add_intensity(Columns& columns, const DeviceVoxels& intensity);

    DeviceArray array_;                           // keeps the owner of the stream alive
    std::unique_ptr<StreamLabelling> labelling_;  // destroyed before its stream
};

}  // namespace voxcc::python
