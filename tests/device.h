// Options of the test binary that choose the devices, the algorithms and the number of volumes under test.
#pragma once
#include <voxcc/device.h>

#include <string>
#include <vector>

/// The first device of --device (cpu, cuda, cuda:N,... or all; default: cpu).
voxcc::Device test_device();
/// The numbers of all devices of --device.
const std::vector<int>& test_devices();

/// The published algorithms to test, from --algorithms NAME[,NAME]...; empty: all.
const std::vector<std::string>& test_algorithms();

/// Whether --long is set: tests that take minutes on the CPU then use all their volumes, and otherwise a part of them.
bool test_long();
