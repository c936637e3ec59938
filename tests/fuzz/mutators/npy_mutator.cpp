// The length of the dictionary is stored before it, so a changed dictionary needs a new length.
#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

namespace voxcc::fuzz {

std::size_t mutate_npy(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    constexpr std::size_t version_at = 6, length_at = 8, shortest = 12, longest_dictionary = 1024;
    Choices choices(seed);
    if (size < shortest || choices.one_in(4)) return mutate_bytes(data, size, most);
    FileBytes file(data, size);
    const unsigned width = file.get(version_at, 1) == 1 ? 2 : 4;
    const std::size_t begin = length_at + width, length = file.get(length_at, width);
    if (!file.contains(begin, length) || length > longest_dictionary) return mutate_bytes(data, size, most);
    const auto at = file.bytes.begin() + std::ptrdiff_t(begin);
    std::vector<std::uint8_t> text(at, at + std::ptrdiff_t(length));
    text.resize(longest_dictionary);
    text.resize(mutate_text(text.data(), length, longest_dictionary, seed));
    file.bytes.erase(at, at + std::ptrdiff_t(length));
    file.bytes.insert(file.bytes.begin() + std::ptrdiff_t(begin), text.begin(), text.end());
    file.put(length_at, width, text.size());
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
