// Parses, checks and names devices.
#include <voxcc/device.h>

#include <voxcc/error.h>
#include "kernels3d/api/cuda.h"

#include <algorithm>
#include <charconv>

namespace voxcc {

std::optional<Device> device_of(std::string_view text) {
    constexpr std::string_view list = "cuda:";
    constexpr int most = 1023;
    if (text == "cpu") return Device{};
    if (text == "cuda") return Device{Device::Kind::cuda, {0}};
    if (text == "all" || text == "cuda:all") return Device{Device::Kind::cuda, {}};
    if (!text.starts_with(list)) return std::nullopt;
    Device device{Device::Kind::cuda, {}};
    for (std::string_view rest = text.substr(list.size());;) {
        int number = -1;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        const bool known = std::find(device.numbers.begin(), device.numbers.end(), number) != device.numbers.end();
        if (error != std::errc{} || number < 0 || number > most || known) return std::nullopt;
        device.numbers.push_back(number);
        rest.remove_prefix(std::size_t(end - rest.data()));
        if (rest.empty()) return device;
        if (rest.front() != ',') return std::nullopt;
        rest.remove_prefix(1);
    }
}

Device require_device(Device device, const std::string& subject) {
    if (device.kind == Device::Kind::cpu) return device;
    if (device.numbers.empty()) {
        device.numbers = {0};
        while (exec::why_no_cuda(device.numbers.back() + 1).empty()) device.numbers.push_back(device.numbers.back() + 1);
    }
    for (const int number : device.numbers)
        if (const std::string why = exec::why_no_cuda(number); !why.empty()) throw Error(ErrorKind::no_device, subject, why);
    return device;
}

std::string why_no_cuda(int device) { return exec::why_no_cuda(device); }

void start_device(const Device& device) {
    if (device.kind == Device::Kind::cuda) exec::start_cuda_devices(device.numbers);
}

std::string name_of(const Device& device) {
    if (device.kind == Device::Kind::cpu) return "cpu";
    std::string list;
    for (const int number : device.numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
    return "cuda:" + (list.empty() ? "all" : list);
}

}  // namespace voxcc
