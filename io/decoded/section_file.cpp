#include "io/decoded/section_file.h"

#include "io/codecs/zstd/zstd.h"

#include <libdeflate.h>
#include <zstd.h>
#include <limits>
#include <new>

namespace voxcc::io {
namespace {

constexpr std::array<char, 8> magic{'V', 'O', 'X', 'C', 'C', 'S', 'E', 'C'};
constexpr std::uint32_t version = 1;
constexpr int zstd_level = 1;

struct Head {
    std::array<char, 8> magic;
    std::uint32_t version, kind;
    std::uint64_t part;
    std::array<char, 64> identity;
    std::uint64_t sections;
};
struct StoredEntry {
    std::uint64_t raw_bytes, packed_bytes, checksum;
};
static_assert(sizeof(Head) == 96 && sizeof(StoredEntry) == 24);

template <class T>
std::span<const std::byte> stored(const T& object) {
    return std::as_bytes(std::span(&object, 1));
}

std::uint32_t checksum_of(std::uint32_t before, std::span<const std::byte> bytes) {
    return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace

PackedSection pack_section(std::span<const std::byte> raw) {
    if (raw.empty()) return {};
    std::vector<std::byte> frame(ZSTD_compressBound(raw.size()));
    const std::size_t size = ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), zstd_level);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // the buffer is large enough, so only memory can be missing
    frame.resize(size);
    frame.shrink_to_fit();
    return packed_section(raw.size(), std::move(frame));
}

PackedSection packed_section(std::uint64_t raw_bytes, std::vector<std::byte> frame) {
    const std::uint32_t checksum = checksum_of(0, frame);
    return {raw_bytes, checksum, std::move(frame)};
}

void write_sections(OutputFile& file, const SectionHeader& header, std::span<const PackedSection> sections) {
    const Head head{magic, version, header.kind, header.part, header.identity, sections.size()};
    std::vector<StoredEntry> entries;
    for (const PackedSection& section : sections) entries.push_back({section.raw_bytes, section.bytes.size(), section.checksum});
    const std::span<const std::byte> table = std::as_bytes(std::span(entries));
    const std::uint64_t checksum = checksum_of(checksum_of(0, stored(head)), table);
    file.write(stored(head));
    file.write(table);
    file.write(stored(checksum));
    for (const PackedSection& section : sections) file.write(section.bytes);
    file.close();
}

SectionFile::SectionFile(const std::string& path) : file_(path) {
    Head head{};
    const std::int64_t size = file_.size();
    if (size < std::int64_t(sizeof(head))) throw Error(ErrorKind::truncated_file, path, "ends within its header");
    file_.read(0, std::as_writable_bytes(std::span(&head, 1)));
    if (head.magic != magic) throw Error(ErrorKind::invalid_file, path, "is not a file of a part of a volume");
    if (head.version != version)
        throw Error(ErrorKind::unsupported_file, path, "has version " + std::to_string(head.version) + " of the format; this is version 1");
    const std::uint64_t room = std::uint64_t(size) - sizeof(head);
    if (room < sizeof(std::uint64_t) || head.sections > (room - sizeof(std::uint64_t)) / sizeof(StoredEntry))
        throw Error(ErrorKind::truncated_file, path, "ends within its header");
    std::vector<StoredEntry> entries(static_cast<std::size_t>(head.sections));
    const std::span<std::byte> table = std::as_writable_bytes(std::span(entries));
    std::uint64_t checksum = 0;
    file_.read(sizeof(head), table);
    file_.read(std::int64_t(sizeof(head) + table.size()), std::as_writable_bytes(std::span(&checksum, 1)));
    if (checksum != checksum_of(checksum_of(0, stored(head)), table))
        throw Error(ErrorKind::corrupt_file, path, "has a header with a wrong checksum");
    header_ = {head.kind, head.part, head.identity};
    checksum_ = std::uint32_t(checksum);
    std::int64_t offset = std::int64_t(sizeof(head) + table.size() + sizeof(checksum));
    for (const StoredEntry& entry : entries) {
        if (entry.packed_bytes > std::uint64_t(size - offset))
            throw Error(ErrorKind::truncated_file, path, "is of " + std::to_string(size) + " bytes, and its sections need more");
        entries_.push_back({entry.raw_bytes, entry.packed_bytes, std::uint32_t(entry.checksum), offset});
        const bool is_possible =
            entry.raw_bytes == 0 ? entry.packed_bytes == 0 : entry.raw_bytes / std::uint64_t(best_ratio_of_zstd) <= entry.packed_bytes;
        if (!is_possible) fail(entries_.size() - 1, "states a number of bytes that its compressed bytes cannot have");
        offset += std::int64_t(entry.packed_bytes);
    }
    if (offset != size) throw Error(ErrorKind::corrupt_file, path, "has bytes after its last section");
}

void SectionFile::read(std::size_t section, std::span<std::byte> to) const {
    const Entry& entry = entries_.at(section);
    if (to.size() != entry.raw_bytes) fail(section, "has another number of bytes than it must have");
    if (to.empty()) return;
    const std::vector<std::byte> packed = this->packed(section);
    const std::size_t size = ZSTD_decompress(to.data(), to.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) || size != to.size()) fail(section, "cannot be decompressed");
}

std::vector<std::byte> SectionFile::packed(std::size_t section) const {
    const Entry& entry = entries_.at(section);
    std::vector<std::byte> packed(static_cast<std::size_t>(entry.packed_bytes));
    if (packed.empty()) return packed;
    file_.read(entry.offset, packed);
    if (checksum_of(0, packed) != entry.checksum) fail(section, "has a wrong checksum");
    return packed;
}

void SectionFile::require_elements(std::size_t section, bool allowed) const {
    if (!allowed) fail(section, "has a number of elements that it cannot have");
}

void SectionFile::fail(std::size_t section, const std::string& cause) const {
    throw Error(ErrorKind::corrupt_file, path(), "section " + std::to_string(section) + " " + cause);
}

}  // namespace voxcc::io
