// Changes CSV and TSV tables: cells, quotes, columns and line ends.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <algorithm>
#include <string>

namespace voxcc::fuzz {
namespace {

const std::vector<std::string> cells{
    "",      "007",   "1e5",  "1.10", "-0",         "inf",     "-inf",     "nan",  "n/a",  "12345678901234567890123",
    "1e999", "'=1+1", "=1+1", "\"\"", "\"a\"\"b\"", "\"x,y\"", "\"a\nb\"", "\"",   "a\"b", "\\t",
    "\\n",   "\\",    " ",    "file", "label",      "true",    "\xc3\xa4", "\xff", "+1",   "@a"};
const std::vector<std::string> line_ends{"\n", "\r\n", "\r", "\n\n", "\r\n\r\n", ""};

struct Range {
    std::size_t begin = 0, end = 0;
};

// The cell around a random character, without regard to quotes.
Range random_cell(const std::string& text, Choices& choices) {
    constexpr const char* ends = ",\t\r\n";
    const std::size_t at = choices.below(text.size() + 1);
    const std::size_t before = at == 0 ? text.npos : text.find_last_of(ends, at - 1), after = text.find_first_of(ends, at);
    return {before == text.npos ? 0 : before + 1, after == text.npos ? text.size() : after};
}

std::string part(const std::string& text, Range range) { return text.substr(range.begin, range.end - range.begin); }

void change(std::string& text, Choices& choices) {
    const Range cell = random_cell(text, choices), other = random_cell(text, choices);
    const auto put = [&](const std::string& by) { text.replace(cell.begin, cell.end - cell.begin, by); };
    const std::string separator = text.find('\t') == text.npos ? "," : "\t";
    switch (choices.below(8)) {
        case 0: return put(part(text, other));
        case 1: return put('"' + part(text, cell) + '"');
        case 2: return put(part(text, cell) + separator + part(text, other));
        case 3:
            if (const auto end = text.find_first_of("\r\n", cell.begin); end != text.npos)
                text.replace(end, std::min(text.find_first_not_of("\r\n", end), text.size()) - end, choices.of(line_ends));
            return;
        case 4: return text.insert(0, choices.one_in(2) ? "\xef\xbb\xbf" : "\n"), void();
        default: return put(choices.of(cells));
    }
}

}  // namespace

std::size_t mutate_table(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (choices.one_in(4)) return mutate_text(data, size, most, seed);
    std::string text(reinterpret_cast<const char*>(data), size);
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) change(text, choices);
    size = std::min(most, text.size());
    std::copy_n(text.begin(), size, data);
    return size;
}

}  // namespace voxcc::fuzz
