// The part of the module voxcc._core that voxcc.blocks calls.
#pragma once
#include "python/src/labelled.h"

namespace voxcc::python {

/// Adds the functions of block.h to the module, and to the class Labelled.
void add_blocks(nb::module_& m, nb::class_<Labelled, Components>& labelled);

}  // namespace voxcc::python
