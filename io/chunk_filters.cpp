#include "io/chunk_filters.h"

#include <algorithm>

namespace voxcc::io {

void unshuffle(std::span<const std::byte> shuffled, std::size_t element, std::span<std::byte> raw) {
    const std::size_t count = shuffled.size() / element;
    for (std::size_t b = 0; count > 0 && b < element; ++b)  // a hostile file can state an element of 4 GiB
        for (std::size_t i = 0; i < count; ++i) raw[i * element + b] = shuffled[b * count + i];
    std::copy(shuffled.begin() + std::ptrdiff_t(count * element), shuffled.end(), raw.begin() + std::ptrdiff_t(count * element));
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    // Sums modulo 65535 with results in [1, 65535] (end-around carry); only a sum of zeros is 0.
    std::uint64_t a = 0, b = 0;
    const auto fold = [](std::uint64_t sum) { return (sum & 0xffff) + (sum >> 16); };
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        a += std::uint64_t(bytes[i]) << 8 | (i + 1 < bytes.size() ? std::uint64_t(bytes[i + 1]) : 0);
        b += a;
        if (i % 512 == 510) a = fold(a), b = fold(b);
    }
    for (int k = 0; k < 4; ++k) a = fold(a), b = fold(b);
    return std::uint32_t(b << 16 | a);
}

}  // namespace voxcc::io
