#include "io/formats/hdf5/is_hdf5.h"

#include <array>
#include <cstring>

namespace voxcc::io {

bool is_hdf5(DecodedFile& file) {
    constexpr std::array<char, 8> wanted{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    std::array<std::byte, 8> signature{};
    for (std::int64_t offset = 0; offset + 8 <= file.stored_bytes(); offset = offset == 0 ? 512 : 2 * offset) {
        file.read(offset, signature);
        if (std::memcmp(signature.data(), wanted.data(), wanted.size()) == 0) return true;
    }
    return false;
}

}  // namespace voxcc::io
