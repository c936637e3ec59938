#include "tests/fuzz/mutators/bytes.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

namespace voxcc::fuzz {

std::size_t mutate_fields(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    constexpr std::uint64_t longest_header = 600;
    Choices choices(seed);
    if (size == 0 || choices.one_in(4)) return mutate_bytes(data, size, most);
    FileBytes file(data, size);
    if (choices.one_in(2)) file.order = std::endian::big;
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) {
        const unsigned width = 1u << choices.below(4);
        const std::uint64_t at = choices.below(std::min<std::uint64_t>(size, longest_header)) / std::min(2u, width) * std::min(2u, width);
        file.put(at, width, choices.value(file.get(at, width), size));
    }
    return file.store(data, most);
}

}  // namespace voxcc::fuzz
