// Text of files on a terminal. A file name or a text in a file can contain codes that move the cursor, change the title of the terminal, or
// reverse the direction of text.
#pragma once

#include <string>
#include <string_view>

namespace voxcc {

/// What a text may contain beside printable characters.
enum class LineEnds {
    none,  // one line: line ends and tabulators are replaced, too
    kept
};

/// Replaces by '?' each character that can control a terminal:
///   control characters    ASCII, DEL, U+0080 to U+009F; also bytes from 0x80 to 0x9f that are not a part of a UTF-8 character
///   marks of direction    U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069
///   separators of lines   U+2028, U+2029
/// Other bytes stay as they are.
// "a\33[31mb", LineEnds::none  ->  "a?[31mb"
std::string printable(std::string_view text, LineEnds line_ends);

/// @return the text with a '?' in place of each ASCII control character and DEL: one line, which may contain any UTF-8 character
std::string one_line(std::string_view text);

}  // namespace voxcc
