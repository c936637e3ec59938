// What a misspelt name was meant to be.
#pragma once
#include <string>
#include <vector>

namespace voxcc {

/// ", nearest: 'NAME'", or "" if no name is as near as a third of its letters (insertions, deletions, replacements).
std::string nearest_hint(const std::string& word, const std::vector<std::string>& names);

}  // namespace voxcc
