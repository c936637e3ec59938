// The values of options of the benchmark programs, and of `voxcc bench`.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/threads.h>

#include <cstdint>
#include <string>

namespace voxcc::bench {

/// A whole number. @param option for the error message
/// @throw Error invalid_argument if the text is not a whole number in [lowest, highest]
std::int64_t integer_of(const std::string& option, const std::string& text, std::int64_t lowest, std::int64_t highest);

/// A finite number, with or without a fraction. @throw Error invalid_argument for other texts
double real_of(const std::string& option, const std::string& text);

/// "4", "8", "6", "18" or "26". @throw Error invalid_argument for other texts
Connectivity connectivity_of(const std::string& option, const std::string& text);

/// "portable", "avx2" or "avx512". @throw Error invalid_argument for other texts
Isa isa_of(const std::string& option, const std::string& text);

}  // namespace voxcc::bench
