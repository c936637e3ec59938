// Parsing of text headers (NRRD, MetaImage, VTK): text, numbers, names of data files.
#pragma once
#include "io/io.h"

#include <map>
#include <string_view>

namespace voxcc::io {

/// @return `text` without blanks, tabs and line ends at both ends
std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);

/// Parses all numbers of `text`, separated by blanks, commas or parentheses. @throw Error about the content naming `path` and `field`
std::vector<double> parse_doubles(std::string_view text, const std::string& path, std::string_view field);
std::vector<std::int64_t> parse_integers(std::string_view text, const std::string& path, std::string_view field);
/// Parses exactly one integer. @throw Error about the content naming `path` and `field`
std::int64_t parse_integer(std::string_view text, const std::string& path, std::string_view field);

/// @return shortest text that reads back as the same double
std::string shortest(double value);

/// Fields of a header; keys are in lower case.
using Fields = std::map<std::string, std::string, std::less<>>;

/// @return value of the first of `names` that exists; null if none does
const std::string* find_field(const Fields& fields, std::initializer_list<std::string_view> names);

/// Resolves the name of a data file in a header. With ExternalFiles::refuse, the name must be a plain file name, and the file must be in
/// the folder of the header after all symbolic links are resolved. Without this check a header could name any file of the machine.
/// @throw Error about the content; missing_file, no_permission if the file cannot be opened
std::string detached_path(const std::string& header_path, std::string_view name, ExternalFiles external);

}  // namespace voxcc::io
