// Numbers that JSON cannot express, and -0.
#pragma once
#include <nlohmann/json.hpp>

namespace voxcc::io {

/// The same JSON with numbers as the tables have them: "inf" and "-inf" for infinite numbers, null for NaN, and 0 for -0.
// {"min": -inf, "origin": [-0.0, 1.5]}  ->  {"min": "-inf", "origin": [0.0, 1.5]}
nlohmann::ordered_json with_written_numbers(nlohmann::ordered_json json);

}  // namespace voxcc::io
