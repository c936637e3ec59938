#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "device.h"
#include "lab/interface/lab.h"

#include <sstream>

namespace {
voxcc::Device device;
std::vector<std::string> algorithms;
bool all_volumes = false;
}  // namespace

voxcc::Device test_device() { return {device.kind, {device.numbers.front()}}; }
const std::vector<int>& test_devices() { return device.numbers; }
const std::vector<std::string>& test_algorithms() { return algorithms; }
bool test_long() { return all_volumes; }

int main(int argc, char** argv) {
    voxcc::add_published_algorithms();
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--long") all_volumes = true;
        if (i + 1 == argc) continue;
        if (option == "--device") device = voxcc::require_device(voxcc::device_of(argv[i + 1]).value(), option);
        if (option != "--algorithms") continue;
        std::istringstream names(argv[i + 1]);
        for (std::string name; std::getline(names, name, ',');) algorithms.push_back(name);
    }
    return doctest::Context(argc, argv).run();
}
