// Reads the summary of a run that `voxcc label --json` has written, and other JSON files. The file can be damaged or hostile.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace voxcc {

/// Reads a JSON file with an object. Values that are nested more than 8 levels deep are left out, and members of an object after its
/// first 1000. Other members can have any type.
/// @param most_bytes a longer file is not read
/// @return nothing if the file is longer, or is not a JSON object
/// @throw Error missing_file, no_permission, io_error, interrupted_output
std::optional<nlohmann::ordered_json> read_json_object(const std::string& path, std::int64_t most_bytes);

/// Reads a summary as read_json_object().
/// @return an object whose member "program" is "voxcc"; nothing if the file is not such an object
std::optional<nlohmann::ordered_json> read_summary(const std::string& path, std::int64_t most_bytes);

/// @return the member, or null if `object` is not an object or does not have it
nlohmann::ordered_json member(const nlohmann::ordered_json& object, const std::string& name);

/// @return the member if it is a text, else ""
std::string text_in(const nlohmann::ordered_json& object, const std::string& name);

}  // namespace voxcc
