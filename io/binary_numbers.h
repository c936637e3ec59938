// Numbers in binary headers.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

namespace voxcc::io {

/// The number at a byte offset. @param header must have sizeof(T) bytes from `offset` on @param order of the bytes of the number
// header = [0x00 0x01 0x02], T = std::uint16_t, offset = 1, big  ->  0x0102
template <class T>
T number_at(std::span<const std::byte> header, std::size_t offset, std::endian order) {
    std::array<std::byte, sizeof(T)> bytes{};
    std::ranges::copy(header.subspan(offset, sizeof(T)), bytes.begin());
    if (order != std::endian::native) std::ranges::reverse(bytes);
    return std::bit_cast<T>(bytes);
}

/// Three numbers in a row, as doubles.
template <class T>
std::array<double, 3> numbers_at(std::span<const std::byte> header, std::size_t offset, std::endian order) {
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < 3; ++i) numbers[i] = double(number_at<T>(header, offset + i * sizeof(T), order));
    return numbers;
}

}  // namespace voxcc::io
