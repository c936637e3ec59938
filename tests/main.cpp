#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "device.h"

#include <cstring>

namespace {
voxcc::Device device;
}

voxcc::Device test_device() { return device; }

int main(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--device") == 0 && std::strcmp(argv[i + 1], "cuda") == 0) device.kind = voxcc::Device::Kind::cuda;
    return doctest::Context(argc, argv).run();
}
