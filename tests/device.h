// What the tests of algorithms run on, as given to the test binary.
#pragma once
#include <voxcc/algorithms.h>

#include <string>
#include <vector>

/// --device cpu (default), cuda, cuda:N,... or all: the first of those
voxcc::Device test_device();
/// The numbers of all of them.
const std::vector<int>& test_devices();

/// --row NAME[,NAME]...: the published algorithms that are tested; empty: all
const std::vector<std::string>& test_rows();
