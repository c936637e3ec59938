// Paths of arrays and groups inside a store.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace voxcc::io::zarr {

/// @return whether a text can be the name of one node: not empty, "." or "..", without '/', '\\' and control characters, at most 255 bytes
bool is_node_name(std::string_view name);

/// @return whether labels can have this name: a name of a node that no version of Zarr reserves, and that voxcc does not use for its own
/// files
bool is_label_name(std::string_view name);

/// @return a path without '/' at its ends; empty if a part of it is not the name of a node. The root is "".
// "/labels/nuclei/" -> "labels/nuclei"; "a//b", "../a" -> nullopt
std::optional<std::string> node_path(std::string_view path);

}  // namespace voxcc::io::zarr
