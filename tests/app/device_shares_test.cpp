// Distribution of devices among volumes. The devices need not exist: a start that fails is not an error here.
#include "src/pipeline/device_shares.h"

#include <doctest/doctest.h>
#include <voxcc/error.h>

#include <array>
#include <chrono>
#include <deque>
#include <thread>

using namespace voxcc;

namespace {

using Numbers = std::vector<int>;

Device cuda(const Numbers& numbers) { return {Device::Kind::cuda, numbers}; }

}  // namespace

TEST_CASE("device shares: one volume has all devices") {
    DeviceShares devices(cuda({0, 2, 3}), 1, DuringStart::wait);
    CHECK(devices.volumes_per_device() == 1);
    CHECK(devices.take().device().numbers == Numbers{0, 2, 3});
    CHECK(DeviceShares(Device{}, 1, DuringStart::wait).take().device().kind == Device::Kind::cpu);
}

TEST_CASE("device shares: fewer volumes than devices have several devices each") {
    DeviceShares devices(cuda({0, 1, 2, 3, 4}), 2, DuringStart::wait);
    const DeviceShares::Share a = devices.take(), b = devices.take();
    CHECK(a.device().numbers == Numbers{0, 1});
    CHECK(b.device().numbers == Numbers{2, 3, 4});
    CHECK(devices.volumes_per_device() == 1);
}

TEST_CASE("device shares: more volumes than devices use each device equally often") {
    DeviceShares devices(cuda({0, 1}), 5, DuringStart::wait);
    CHECK(devices.volumes_per_device() == 3);
    std::deque<DeviceShares::Share> shares;
    std::array<int, 2> uses{};
    for (int i = 0; i < 5; ++i) {
        shares.push_back(devices.take());
        ++uses[std::size_t(shares.back().device().numbers.front())];
    }
    CHECK(uses == std::array{3, 2});
    shares.pop_front(), shares.pop_front();  // device 0 has two volumes left, device 1 has one
    CHECK(devices.take().device().numbers == Numbers{1});
}

TEST_CASE("device shares: the list of all devices is found by the thread that starts them") {
    DeviceShares devices(cuda({}), 6, DuringStart::use_cpu);
    CHECK(devices.volumes_per_device() == 2);
    const std::string why_none = why_no_cuda(0);
    for (int i = 0; i < 1000; ++i) {
        try {
            const DeviceShares::Share share = devices.take();
            if (share.device().kind == Device::Kind::cuda) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::no_device);
            CHECK_FALSE(why_none.empty());
            return;
        }
    }
    REQUIRE(why_none.empty());
    std::deque<DeviceShares::Share> shares;
    int on_cpu = 0;
    do {
        shares.push_back(devices.take());
        on_cpu += shares.back().device().kind == Device::Kind::cpu;
    } while (on_cpu == 0);
    CHECK((shares.size() - 1) % 2 == 0);  // each device has two volumes
}

TEST_CASE("device shares: the CPU is shared by all volumes") {
    DeviceShares devices(Device{}, 3, DuringStart::use_cpu);
    const DeviceShares::Share a = devices.take(), b = devices.take();
    CHECK(a.device().kind == Device::Kind::cpu);
    CHECK(b.device().kind == Device::Kind::cpu);
}

TEST_CASE("device shares: the CPU is used until the devices have started, and a start that fails is an error") {
    DeviceShares devices(cuda({1023}), 2, DuringStart::use_cpu);  // no machine has this device
    bool has_failed = false;
    for (int i = 0; i < 1000 && !has_failed; ++i) {
        try {
            const DeviceShares::Share share = devices.take();
            CHECK(share.device().kind == Device::Kind::cpu);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::no_device);
            has_failed = true;
        }
    }
    CHECK(has_failed);
    CHECK_THROWS_AS(devices.require_started(), Error);
}
