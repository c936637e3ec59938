// The part of the module voxcc._core for arrays on CUDA devices.
#pragma once
#include <nanobind/nanobind.h>

namespace voxcc::python {

/// Adds the classes and functions to the module, which must have the class Components.
void bind_devices(nanobind::module_& m);

}  // namespace voxcc::python
