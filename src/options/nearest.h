// Finds the name that is most similar to a misspelt name.
#pragma once
#include <string>
#include <vector>

namespace voxcc {

/// A hint for error messages. An edit is an insertion, a deletion or a replacement of a letter.
/// @return ", nearest: 'NAME'" with the name that needs the fewest edits; empty if all names need more than (word.size() + 1) / 3 edits, or
///     if the word has fewer than 3 letters
// "lable", {"label", "stats"} -> ", nearest: 'label'"
std::string nearest_hint(const std::string& word, const std::vector<std::string>& names);

}  // namespace voxcc
