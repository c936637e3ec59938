// The stored bytes of a TIFF directory. libtiff does not report where values are stored.
#pragma once
#include "io/files/checked_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace voxcc::io {

/// Reads a number at any alignment.
template <class T>
T load(const std::byte* from, bool is_swapped) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    if (is_swapped) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

/// The form of the numbers of a file.
struct TiffForm {
    bool is_big = false;      // BigTIFF
    bool is_swapped = false;  // not in host byte order
};

struct StoredEntry {
    std::uint16_t tag = 0, type = 0;
    std::uint64_t count = 0;
    std::uint64_t value_at = 0;  // position of the first value in the file
    /// @return size of all values in bytes; the largest number if the type is unknown or the size overflows
    std::uint64_t bytes() const;
};

/// A directory, from the number of entries to the offset of the next directory.
class StoredDirectory {
public:
    /// @param begin offset in the file
    /// @return nothing if the directory is not completely inside the file. @throw Error io_error
    static std::optional<StoredDirectory> read(const InputFile& file, const TiffForm& form, std::uint64_t begin);
    std::uint64_t begin() const { return begin_; }
    std::uint64_t entries() const;
    StoredEntry entry(std::uint64_t i) const;
    std::uint64_t next() const { return offset(size() - offset_bytes()); }  // offset of the next directory; 0: none
    std::uint64_t end() const { return begin_ + size(); }                   // offset after the directory

private:
    StoredDirectory(const TiffForm& form, std::uint64_t begin) : form_(form), begin_(begin) {}
    std::uint64_t count_bytes() const { return form_.is_big ? 8 : 2; }
    std::uint64_t offset_bytes() const { return form_.is_big ? 8 : 4; }
    std::uint64_t entry_bytes() const { return 4 + 2 * offset_bytes(); }
    std::uint64_t size() const { return count_bytes() + entries() * entry_bytes() + offset_bytes(); }
    template <class T>
    T number(std::uint64_t at) const {
        return load<T>(bytes_.data() + at, form_.is_swapped);
    }
    std::uint64_t offset(std::uint64_t at) const { return form_.is_big ? number<std::uint64_t>(at) : number<std::uint32_t>(at); }

    TiffForm form_;
    std::uint64_t begin_;
    std::vector<std::byte> bytes_;
};

}  // namespace voxcc::io
