// The device that the tests of algorithms run on: --device cpu (default) or cuda, given to the test binary.
#pragma once
#include "kernels3d/registry.h"

voxcc::Device test_device();
