// Tests the names of devices and the error for a missing device.
#include <voxcc/device.h>

#include <doctest/doctest.h>

#include <voxcc/error.h>

using namespace voxcc;

TEST_CASE("devices: parsing and names") {
    CHECK(name_of(device_of("cpu").value()) == "cpu");
    CHECK(name_of(device_of("cuda").value()) == "cuda:0");
    CHECK(name_of(device_of("cuda:2,0,1023").value()) == "cuda:2,0,1023");
    for (const char* text : {"all", "cuda:all"}) CHECK(name_of(device_of(text).value()) == "cuda:all");
    for (const char* text :
         {"", "auto", "cuda:", "cuda:,", "cuda:1,", "cuda:,1", "cuda:1,1", "cuda:-1", "cuda:+1", "cuda:1024", "cuda:0x1", "gpu"}) {
        CAPTURE(text);
        CHECK_FALSE(device_of(text));
    }
}

TEST_CASE("devices: the CPU is present; the error names a missing device") {
    CHECK(require_device(Device{}, "test").kind == Device::Kind::cpu);
    try {
        require_device(device_of("cuda:1023").value(), "test");
        CHECK(false);  // not reached
    } catch (const Error& e) {
        CHECK(e.kind() == ErrorKind::no_device);
        CHECK(std::string(e.what()).starts_with("test: "));
    }
}
