// Headers made of text lines (NRRD, MetaImage, VTK): pieces of text, numbers, names of further files.
#pragma once
#include "io/io.h"

#include <map>
#include <string_view>

namespace voxcc::io {

std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);

/// All numbers of `text`, separated by blanks, commas or parentheses. @throw Error bad_data naming `path` and `field`
std::vector<double> parse_doubles(std::string_view text, const std::string& path, std::string_view field);
std::vector<std::int64_t> parse_integers(std::string_view text, const std::string& path, std::string_view field);
std::int64_t parse_integer(std::string_view text, const std::string& path, std::string_view field);

/// Shortest text that reads back as the same double.
std::string shortest(double value);

/// Fields of a header by name in lower case.
using Fields = std::map<std::string, std::string, std::less<>>;

/// The value of the first of `names` that is there; null if none is.
const std::string* find_field(const Fields& fields, std::initializer_list<std::string_view> names);

/// Path of a data file that a header names. With ExternalFiles::refuse, the name must be a plain file name, and the file must lie in the
/// folder of the header after all symbolic links of both are resolved. Otherwise a header could name any file of this machine.
/// @throw Error bad_data; no_input, no_permission if the file cannot be opened
std::string detached_path(const std::string& header_path, std::string_view name, ExternalFiles external);

}  // namespace voxcc::io
