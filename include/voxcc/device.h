// Devices on which algorithms run, and their names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// The CPU, or one or more CUDA devices.
// "cuda:0,2" is {Kind::cuda, {0, 2}}
struct Device {
    enum class Kind : std::uint8_t { cpu, cuda } kind = Kind::cpu;
    std::vector<int> numbers{0};  // 0-based numbers of CUDA devices, each at most once; empty: all devices. Not used for Kind::cpu
};

/// Parses the name of a device. Does not check whether the device is present; require_device() does.
/// @param text "cpu", "cuda" (same as "cuda:0"), "cuda:0,2", "cuda:all" or "all". A number must be in [0, 1023]
/// @return nothing for any other text, and if a number occurs twice
std::optional<Device> device_of(std::string_view text);

/// The texts that device_of() accepts, for error messages.
inline constexpr std::string_view device_texts = "cpu cuda cuda:N cuda:N,M (each once) all";

/// Checks that all CUDA devices can be used. Replaces an empty list of numbers by the numbers of all present devices.
/// @param subject subject of the error: "device all"
/// @throw Error no_device with the reason for the first device that cannot be used
// {cuda, {}} on a machine with two devices -> {cuda, {0, 1}}
Device require_device(Device device, const std::string& subject);

/// The reason why the CUDA device with this number cannot be used; empty if it can be used.
// 0 in a build without CUDA -> "this build has no CUDA back end"
std::string why_no_cuda(int device);

/// Starts the use of CUDA devices, which takes about 0.3 s for the first use in a process. Later uses of the devices do not wait. Does
/// nothing for the CPU. Thread-safe.
/// @param device must be a result of require_device()
/// @throw Error no_device, device_failure
void start_device(const Device& device);

/// "cpu", "cuda:0", "cuda:0,2", "cuda:all"
std::string name_of(const Device& device);

}  // namespace voxcc
