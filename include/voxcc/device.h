// Where an algorithm runs, and how that is written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

struct Device {
    enum class Kind : std::uint8_t { cpu, cuda } kind = Kind::cpu;
    std::vector<int> numbers{0};  // of CUDA devices, each once; empty: all there are
};

/// Reads "cpu", "cuda" (which is cuda:0), "cuda:0,2", and "cuda:all" or "all". Whether they are there is not looked at.
/// @return nothing for any other text, or where a number comes twice
std::optional<Device> device_of(std::string_view text);

/// The texts that device_of() knows, for errors.
inline constexpr std::string_view device_texts = "cpu cuda cuda:N cuda:N,M (each once) all";

/// The same device, with the numbers of all there are in place of "all".
/// @param subject of the error: "device all". @throw Error no_device naming the first that is not there
Device present(Device device, const std::string& subject);

/// States in words why the CUDA device of this number cannot be used.
/// @return an empty text if the device can be used
std::string why_no_cuda(int device);

/// "cpu", "cuda:0", "cuda:0,2", "cuda:all"
std::string name_of(const Device& device);

}  // namespace voxcc
