// Files of sections: the states of parts of a volume and what follows from them. Every section is compressed (zstd) and has a checksum.
//
//   magic "VOXCCSEC", version, kind, part, identity     the identity is the identity of a plan
//   number of sections, and per section: bytes, compressed bytes, checksum
//   checksum of all bytes above
//   the compressed sections
// All numbers are little-endian.
#pragma once
#include "io/files/checked_file.h"

#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>

namespace voxcc::io {

static_assert(std::endian::native == std::endian::little, "sections are stored as they are in memory");

/// What a file is about.
struct SectionHeader {
    std::uint32_t kind = 0;           // what the sections mean
    std::uint64_t part = 0;           // of the volume
    std::array<char, 64> identity{};  // of the plan
    bool operator==(const SectionHeader&) const = default;
};

/// A section in its stored form. An empty section has no bytes.
struct PackedSection {
    std::uint64_t raw_bytes = 0;
    std::uint32_t checksum = 0;  // of the compressed bytes
    std::vector<std::byte> bytes;
};

/// Compresses a section. The result is the same on every machine with the same version of zstd. Thread-safe. @throw std::bad_alloc
PackedSection pack_section(std::span<const std::byte> raw);

/// A section that is compressed already, as one frame of zstd. Thread-safe.
PackedSection packed_section(std::uint64_t raw_bytes, std::vector<std::byte> frame);

template <class T>
requires std::is_trivially_copyable_v<T> PackedSection pack_section(const std::vector<T>& elements) {
    return pack_section(std::as_bytes(std::span(elements)));
}

/// Writes a complete file and closes it. @throw Error io_error, disk_full
void write_sections(OutputFile& file, const SectionHeader& header, std::span<const PackedSection> sections);

/// A file of sections that is read. The functions are thread-safe.
class SectionFile {
public:
    /// Reads and checks all but the sections. @throw Error as InputFile; invalid_file, unsupported_file, corrupt_file, truncated_file
    explicit SectionFile(const std::string& path);
    const std::string& path() const { return file_.path(); }
    const SectionHeader& header() const { return header_; }
    std::size_t sections() const { return entries_.size(); }
    std::uint64_t bytes_of(std::size_t section) const { return entries_.at(section).raw_bytes; }
    /// The checksum of the description of all sections, which contains their checksums.
    std::uint32_t checksum() const { return checksum_; }
    /// Reads a section, which must have this number of bytes. @throw Error corrupt_file, io_error
    void read(std::size_t section, std::span<std::byte> to) const;
    /// Reads the compressed bytes of a section. @throw Error corrupt_file, io_error
    std::vector<std::byte> packed(std::size_t section) const;
    /// Reads a section of elements. Memory is allocated only if their number is allowed.
    /// @param most the largest number of elements @param exactly if it is given, the number must be `most`
    /// @throw Error corrupt_file, io_error
    enum class Count : std::uint8_t { at_most, exactly };
    template <class T>
    std::vector<T> elements(std::size_t section, std::uint64_t count, Count rule = Count::exactly) const {
        const std::uint64_t n = bytes_of(section) / sizeof(T);
        require_elements(section, n * sizeof(T) == bytes_of(section) && (rule == Count::exactly ? n == count : n <= count));
        std::vector<T> to(static_cast<std::size_t>(n));
        read(section, std::as_writable_bytes(std::span(to)));
        return to;
    }

private:
    struct Entry {
        std::uint64_t raw_bytes, packed_bytes;
        std::uint32_t checksum;
        std::int64_t offset;
    };
    void require_elements(std::size_t section, bool allowed) const;
    [[noreturn]] void fail(std::size_t section, const std::string& cause) const;
    InputFile file_;
    SectionHeader header_;
    std::uint32_t checksum_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace voxcc::io
