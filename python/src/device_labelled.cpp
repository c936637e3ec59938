#include "python/src/device_labelled.h"

namespace voxcc::python {

DeviceLabelled::DeviceLabelled(const DeviceArray& array, const Options& options)
    : Components(Axes(array.shape, array.layout, options.slice_axis), int(array.shape.size()), array.type, options), owner_(array.owner) {
    const nb::gil_scoped_release no_gil;
    labelling_ = label_on_stream({.voxels = reinterpret_cast<const void*>(array.address),
                                  .type = array.type,
                                  .extent = axes().extent,
                                  .device = array.device,
                                  .stream = reinterpret_cast<void*>(array.stream)},
                                 {.connectivity = options.connectivity,
                                  .foreground = options.foreground,
                                  .rule = options.rule,
                                  .periodic = periodic_of(axes(), options)});
}

void DeviceLabelled::paint(std::uintptr_t address, ScalarType type, Painted painted) {
    const nb::gil_scoped_release no_gil;
    paint_with(painted,
               [&](const std::vector<std::uint64_t>& numbers) { labelling_->paint(reinterpret_cast<void*>(address), type, numbers); });
}

std::unique_ptr<StreamCount> DeviceLabelled::send_count() { return labelling_->send_count(); }

}  // namespace voxcc::python
