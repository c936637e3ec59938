// Changes the header of legacy VTK files, and often makes the number of points and the length of the data fit the dimensions afterwards.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace voxcc::fuzz {
namespace {

const std::vector<std::string> lines{"POINT_DATA 60\n",
                                     "CELL_DATA 24\n",
                                     "SCALARS s short 1\n",
                                     "SCALARS s bit\n",
                                     "SCALARS s vtktypeint64 4\n",
                                     "LOOKUP_TABLE default\n",
                                     "LOOKUP_TABLE t 2\n",
                                     "VECTORS v float\n",
                                     "FIELD f 1\n",
                                     "a 1 60 char\n",
                                     "METADATA\n",
                                     "INFORMATION 1\nNAME a LOCATION b\nDATA 1 0\n\n",
                                     "DIMENSIONS 5 4 3\n",
                                     "EXTENT 1 5 1 4 0 2\n",
                                     "SPACING 1 2 3\n",
                                     "ORIGIN 0 0 0\n",
                                     "COLOR_SCALARS c 2\n",
                                     "TENSORS t double\n",
                                     "DATASET STRUCTURED_POINTS\n"};

// The end of the line that contains byte `at`, after its line end.
std::size_t line_end(const std::string& text, std::size_t at) {
    const std::size_t end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
}

// Writes new dimensions, the number of points or cells that belongs to them, and removes or repeats bytes at the end.
void change_dimensions(std::string& text, Choices& choices) {
    const std::size_t at = text.find("DIMENSIONS ");
    std::array<int, 3> old{};
    if (at == text.npos || std::sscanf(text.c_str() + at, "DIMENSIONS %d %d %d", &old[0], &old[1], &old[2]) != 3) return;
    std::array<int, 3> fresh = old;
    fresh[choices.below(3)] = int(choices.below(9));
    std::string line = "DIMENSIONS";
    for (const int length : fresh) line += ' ' + std::to_string(length);
    text.replace(at, line_end(text, at) - at, line + '\n');
    for (const auto& [word, less] : {std::pair{"POINT_DATA ", 0}, std::pair{"CELL_DATA ", 1}}) {
        const std::size_t count_at = text.find(word);
        if (count_at == text.npos) continue;
        int count = 1;
        for (const int length : fresh) count *= std::max(length - less, less);
        text.replace(count_at, line_end(text, count_at) - count_at, word + std::to_string(count) + '\n');
    }
    const std::int64_t product = std::int64_t{fresh[0]} * fresh[1] * fresh[2], before = std::int64_t{old[0]} * old[1] * old[2];
    const std::int64_t more = (product - before) * (std::int64_t{1} << choices.below(4));
    if (more > 0 && more < 4096) text.append(std::size_t(more), text.empty() ? '1' : text.back());
    if (more < 0 && -more < std::int64_t(text.size())) text.resize(text.size() - std::size_t(-more));
}

void change(std::string& text, Choices& choices) {
    const std::size_t at = line_end(text, choices.below(std::min<std::size_t>(text.size(), 400)));
    switch (choices.below(4)) {
        case 0: text.insert(at, choices.of(lines)); return;
        case 1: text.replace(at, line_end(text, at) - at, choices.of(lines)); return;
        default: change_dimensions(text, choices);
    }
}

}  // namespace

std::size_t mutate_vtk(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (size == 0 || choices.one_in(2)) return mutate_text(data, size, most, seed);
    std::string text(reinterpret_cast<const char*>(data), size);
    for (std::uint64_t changes = 1 + choices.below(2); changes > 0 && !text.empty(); --changes) change(text, choices);
    size = std::min(most, text.size());
    std::copy_n(text.begin(), size, data);
    return size;
}

}  // namespace voxcc::fuzz
