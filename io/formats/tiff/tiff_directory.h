// Writing of TIFF directories into memory, in host byte order.
#pragma once
#include <tiff.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace voxcc::io {

/// A growing byte buffer. put() appends a number in host byte order, or text without a terminator.
class Bytes {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void put(T value) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put(std::string_view text) {
        for (const char c : text) put(c);
    }
    void zeros(std::size_t count) { bytes_.insert(bytes_.end(), count, std::byte{}); }
    std::size_t size() const { return bytes_.size(); }
    std::span<const std::byte> view() const { return bytes_; }
    void clear() { bytes_.clear(); }

private:
    std::vector<std::byte> bytes_;
};

struct Fraction {
    std::uint32_t numerator, denominator;
};

/// One directory of a classic TIFF (Offset: 32 bits) or BigTIFF (64 bits), appended to `to`. Entries must be put in ascending order of
/// tags.
template <class Offset>
class TiffDirectory {
public:
    static constexpr bool is_big = sizeof(Offset) == 8;
    static constexpr TIFFDataType offset_type = is_big ? TIFF_LONG8 : TIFF_LONG;
    /// @return size of a directory with so many entries, in bytes
    static constexpr std::size_t bytes(std::size_t entries) { return (is_big ? 16 : 6) + entries * (4 + 2 * sizeof(Offset)); }

    /// @param entries number of put() calls that must follow
    TiffDirectory(Bytes& to, std::size_t entries) : to_(to) {
        if constexpr (is_big) to_.put(std::uint64_t(entries));
        else to_.put(std::uint16_t(entries));
    }
    void put(std::uint16_t tag, std::uint16_t value) { entry(tag, TIFF_SHORT, 1, value); }
    void put(std::uint16_t tag, std::uint32_t value) { entry(tag, TIFF_LONG, 1, value); }
    /// @param value the number if count is 1 and it fits, else the offset of `count` values in the file
    void put(std::uint16_t tag, TIFFDataType type, std::size_t count, std::uint64_t value) { entry(tag, type, count, Offset(value)); }
    /// Writes a fraction: inside the entry in BigTIFF, at `offset` in the file (where the caller must store it) in classic TIFF.
    void put(std::uint16_t tag, Fraction value, std::uint64_t offset) {
        if constexpr (is_big) entry(tag, TIFF_RATIONAL, 1, value);
        else entry(tag, TIFF_RATIONAL, 1, Offset(offset));
    }
    /// Ends the directory. @param next offset of the next directory; 0: none
    void end(std::uint64_t next) { to_.put(Offset(next)); }

private:
    template <class T>
    void entry(std::uint16_t tag, TIFFDataType type, std::size_t count, T value) {
        static_assert(sizeof(T) <= sizeof(Offset));
        to_.put(tag);
        to_.put(std::uint16_t(type));
        to_.put(Offset(count));
        to_.put(value);
        to_.zeros(sizeof(Offset) - sizeof(T));
    }
    Bytes& to_;
};

}  // namespace voxcc::io
