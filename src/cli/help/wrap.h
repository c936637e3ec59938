// Functions on text for the writers of help pages.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::cli {

/// Breaks text into lines of at most `width` bytes. A longer word gets a line of its own.
// "one two three", 7 -> "one two\nthree\n"
std::string wrapped(const std::string& text, std::size_t width);

/// Replaces characters. @param replacement returns the text for a character
std::string replaced(const std::string& text, const std::function<std::string(char)>& replacement);

/// Joins texts with a separator.
// {"a", "b"}, ", " -> "a, b"
std::string joined(const std::vector<std::string>& texts, const std::string& separator);

/// Puts each word between backquotes, and joins the words with a separator.
// {".nii", ".tif"}, ", "  ->  "`.nii`, `.tif`"
std::string as_code(const std::vector<std::string_view>& words, const std::string& separator);

/// Puts text into single quotes for a shell, where `quote` is the replacement of a single quote.
// "it's", "'\\''" -> "'it'\\''s'"
std::string quoted(const std::string& text, const std::string& quote);

}  // namespace voxcc::cli
