// The bytes of an input, with numbers of either byte order at any position.
#pragma once
#include "tests/fuzz/target.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace voxcc::fuzz {

struct FileBytes {
    std::vector<std::uint8_t> bytes;
    std::endian order = std::endian::little;

    FileBytes(const std::uint8_t* data, std::size_t size) : bytes(data, data + size) {}
    std::size_t size() const { return bytes.size(); }
    bool contains(std::uint64_t at, std::uint64_t count) const { return at <= bytes.size() && count <= bytes.size() - at; }
    /// @return the number of `width` bytes at `at`; 0 if it is not inside the file
    std::uint64_t get(std::uint64_t at, unsigned width) const {
        std::uint64_t value = 0;
        if (!contains(at, width)) return 0;
        for (unsigned i = 0; i < width; ++i)
            value |= std::uint64_t(bytes[at + (order == std::endian::little ? i : width - 1 - i)]) << 8 * i;
        return value;
    }
    /// Does nothing if the position is not inside the file.
    void put(std::uint64_t at, unsigned width, std::uint64_t value) {
        if (!contains(at, width)) return;
        for (unsigned i = 0; i < width; ++i) bytes[at + (order == std::endian::little ? i : width - 1 - i)] = std::uint8_t(value >> 8 * i);
    }
    /// Copies the bytes to the buffer of libFuzzer. @return their number, at most `most`
    std::size_t store(std::uint8_t* data, std::size_t most) const {
        const std::size_t size = std::min(most, bytes.size());
        std::copy_n(bytes.begin(), size, data);
        return size;
    }
};

}  // namespace voxcc::fuzz
