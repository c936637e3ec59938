// A fuzz target: a function that runs one input, and optionally a function that changes inputs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace voxcc::fuzz {

using Input = std::span<const std::uint8_t>;

/// Changes data[0..size) in place. @return the new size, at most `most`
using Mutator = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

struct Target {
    std::string_view name;
    /// Must accept every input. It may catch Error; every other exception is a fault of the program.
    void (*run)(Input input);
    std::size_t longest = 4096;         // bytes of an input
    Mutator mutate = nullptr;           // null: the mutator of libFuzzer
    std::string_view dictionary = "-";  // a file of tests/fuzz/dictionaries; "-": none
    std::string_view seeds = "";        // the target whose seeds are used; empty: its own
};

/// Changes bytes with the mutator of libFuzzer. @return the new size, at most `most`
std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t most);

/// Runs `action`. An Error of the content or of an argument is expected. @throw any other exception, and Error internal
/// @return whether the input was accepted
bool accepts(const std::function<void()>& action);

/// Ends the process with a message, so that libFuzzer stores the input.
[[noreturn]] void fault(std::string_view message);

}  // namespace voxcc::fuzz
