// What the tests of algorithms run on, as given to the test binary.
#pragma once
#include "kernels3d/registry.h"

#include <string>
#include <vector>

/// --device cpu (default) or cuda
voxcc::Device test_device();

/// --row NAME[,NAME]...: the published algorithms that are tested; empty: all
const std::vector<std::string>& test_rows();
