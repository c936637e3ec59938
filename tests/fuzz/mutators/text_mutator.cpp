#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

namespace voxcc::fuzz {
namespace {

const std::vector<std::string> values{
    "0",   "-1",   "1",    "2",    "3",    "5",      "1e308", "0.5", "9223372036854775807", "18446744073709551616",
    "nan", "-inf", "true", "null", "\"\"", "a b\\n", "[]",    "{}",  "4294967296",          "none"};

/// Characters [begin, end) of a text.
struct Range {
    std::size_t begin = 0, end = 0;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("+-._\"", c) != nullptr; }

// @return the word around or after a random character; empty at the end of the text
Range random_word(const std::string& text, Choices& choices) {
    Range word{choices.below(text.size()), 0};
    while (word.begin > 0 && is_word(text[word.begin - 1])) --word.begin;
    while (word.begin < text.size() && !is_word(text[word.begin])) ++word.begin;
    word.end = word.begin;
    while (word.end < text.size() && is_word(text[word.end])) ++word.end;
    return word;
}

// @return the line around a random character, with its line end
Range random_line(const std::string& text, Choices& choices) {
    const std::size_t at = choices.below(text.size());
    const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1), after = text.find('\n', at);
    return {before == text.npos ? 0 : before + 1, after == text.npos ? text.size() : after + 1};
}

std::string part(const std::string& text, Range range) { return text.substr(range.begin, range.end - range.begin); }

void replace(std::string& text, Range range, const std::string& by) { text.replace(range.begin, range.end - range.begin, by); }

void change(std::string& text, Choices& choices) {
    switch (choices.below(6)) {
        case 0: return replace(text, random_line(text, choices), "");
        case 1: return replace(text, random_line(text, choices), part(text, random_line(text, choices)));
        case 2: return text.insert(random_line(text, choices).begin, part(text, random_line(text, choices))), void();
        case 3: return replace(text, random_word(text, choices), part(text, random_word(text, choices)));
        default: return replace(text, random_word(text, choices), choices.of(values));
    }
}

}  // namespace

std::size_t mutate_text(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (choices.one_in(2)) return mutate_bytes(data, size, most);
    std::string text(reinterpret_cast<const char*>(data), size);
    for (std::uint64_t changes = 1 + choices.below(2); changes > 0 && !text.empty(); --changes) change(text, choices);
    size = std::min(most, text.size());
    std::copy_n(text.begin(), size, data);
    return size;
}

}  // namespace voxcc::fuzz
