// Big-endian numbers of a file.
#pragma once
#include "io/files/checked_file.h"

#include <array>
#include <span>

namespace voxcc::io {

/// Reads the unsigned number at byte `offset`. @throw Error as InputFile::read()
// the bytes 0x12 0x34  ->  0x1234
template <class T>
T big_endian_at(const InputFile& file, std::int64_t offset) {
    std::array<unsigned char, sizeof(T)> bytes{};
    file.read(offset, std::as_writable_bytes(std::span(bytes)));
    std::uint64_t number = 0;
    for (const unsigned char byte : bytes) number = number << 8 | byte;
    return T(number);
}

}  // namespace voxcc::io
