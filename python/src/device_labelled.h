// A labelled array in the memory of a CUDA device.
#pragma once
#include "python/src/components.h"

#include <voxcc/stream_labelling.h>

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

/// Starts to label an array in the constructor. Components are compared in the order of the array in memory.
class DeviceLabelled : public Components {
public:
    DeviceLabelled(const DeviceArray& array, const Options& options);
    /// Starts to write labels.
    /// @param address an array without gaps of the layout of the voxels
    void paint(std::uintptr_t address, ScalarType type, Painted painted);
    /// Starts to copy the number of components to the host. select() does not change this number.
    std::unique_ptr<StreamCount> send_count();

protected:
    std::uint64_t engine_count() const override { return labelling_->count(); }
    SumTable engine_sums() override { return labelling_->measure(); }
    std::vector<std::uint64_t> engine_values() override { return labelling_->source_values(); }

private:
    nb::object owner_;
    std::unique_ptr<StreamLabelling> labelling_;  // destroyed before its stream
};

}  // namespace voxcc::python
