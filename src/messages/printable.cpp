#include "src/messages/printable.h"

#include <cstdint>

namespace voxcc {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  // 0: the text does not begin with a UTF-8 character
};

std::uint32_t byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// The first UTF-8 character of a text, which must not be empty.
Character first_character(std::string_view text) {
    const std::uint32_t first = byte_at(text, 0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    constexpr std::uint32_t smallest[]{0, 0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
    std::uint32_t code = first & (0x7f >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte_at(text, i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte_at(text, i) & 0x3f);
    }
    return code < smallest[bytes] ? Character{} : Character{code, bytes};
}

bool is_ascii_control(std::uint32_t code) { return code < ' ' || code == 0x7f; }

bool controls_terminal(std::uint32_t code) {
    return is_ascii_control(code) || (code >= 0x80 && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, LineEnds line_ends) {
    std::string out;
    while (!text.empty()) {
        const Character character = first_character(text);
        const std::uint32_t code = character.bytes == 0 ? byte_at(text, 0) : character.code;
        const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
        const bool kept = line_ends == LineEnds::kept && (code == '\n' || code == '\t');
        if (controls_terminal(code) && !kept) out += '?';
        else out += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return out;
}

std::string one_line(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (is_ascii_control(static_cast<unsigned char>(c))) c = '?';
    return out;
}

}  // namespace voxcc
