#include "io/codecs/zip/zip_records.h"

#include "io/codecs/zip/zip_fields.h"

#include <algorithm>

namespace voxcc::io::zip {
namespace {

constexpr std::uint16_t version_of_zip64 = 45;
constexpr std::uint16_t first_of_january_1980 = 0x21;  // a fixed date, so that equal members give archives with equal bytes
constexpr std::uint16_t utf8_names = 0x800;

bool is_ascii(std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The fields that the local header and the entry of the directory share.
std::string shared_fields(const ZipMember& member, std::size_t extra_bytes) {
    std::string fields;
    put(fields, version_of_zip64);
    put(fields, is_ascii(member.name) ? std::uint16_t{0} : utf8_names);
    put(fields, std::uint16_t(member.method));
    put(fields, std::uint16_t{0});
    put(fields, first_of_january_1980);
    put(fields, member.crc);
    put(fields, std::uint32_t(see_extra64));
    put(fields, std::uint32_t(see_extra64));
    put(fields, std::uint16_t(member.name.size()));
    put(fields, std::uint16_t(extra_bytes));
    return fields;
}

bool is_far(std::int64_t offset) { return offset >= see_extra64; }

enum class OffsetField : std::uint8_t { absent, present };

std::string extra64(const ZipMember& member, OffsetField offset) {
    const bool with_offset = offset == OffsetField::present;
    std::string extra;
    put(extra, std::uint16_t(extra64_id));
    put(extra, std::uint16_t(with_offset ? 24 : 16));
    put(extra, std::uint64_t(member.size));
    put(extra, std::uint64_t(member.stored));
    if (with_offset) put(extra, std::uint64_t(member.header_at));
    return extra;
}

std::string directory_entry(const ZipMember& member) {
    std::string entry;
    const std::string extra = extra64(member, is_far(member.header_at) ? OffsetField::present : OffsetField::absent);
    put(entry, member_signature);
    put(entry, version_of_zip64);
    entry += shared_fields(member, extra.size());
    entry.append(6, '\0');         // comment, part, internal attributes
    put(entry, std::uint32_t{0});  // external attributes
    put(entry, std::uint32_t(std::min(member.header_at, see_extra64)));
    return entry + member.name + extra;
}

// The zip64 records are needed only for an archive of 4 GiB or more, or of 65,535 members, but are always written.
std::string end_records(std::uint64_t members, std::uint64_t directory_at, std::uint64_t directory_bytes, std::string_view comment) {
    constexpr std::uint64_t record_bytes = 56, bytes_after_length = record_bytes - 12, most_members = 0xffff;
    std::string end;
    put(end, end64_signature);
    put(end, bytes_after_length);
    put(end, version_of_zip64);
    put(end, version_of_zip64);
    put(end, std::uint64_t{0});  // number of this part, and of the part with the directory
    put(end, members);           // in this part
    put(end, members);
    put(end, directory_bytes);
    put(end, directory_at);
    put(end, locator64_signature);
    put(end, std::uint32_t{0});
    put(end, directory_at + directory_bytes);
    put(end, std::uint32_t{1});
    put(end, end_signature);
    put(end, std::uint32_t{0});
    put(end, std::uint16_t(std::min(members, most_members)));
    put(end, std::uint16_t(std::min(members, most_members)));
    put(end, std::uint32_t(std::min<std::uint64_t>(directory_bytes, see_extra64)));
    put(end, std::uint32_t(std::min<std::uint64_t>(directory_at, see_extra64)));
    put(end, std::uint16_t(comment.size()));
    return end.append(comment);
}

}  // namespace

std::string local_header(const ZipMember& member) {
    std::string header;
    const std::string extra = extra64(member, OffsetField::absent);
    put(header, local_signature);
    return header + shared_fields(member, extra.size()) + member.name + extra;
}

std::string directory_of(std::span<const ZipMember> members, std::int64_t directory_at, std::string_view comment) {
    std::string directory;
    for (const ZipMember& member : members) directory += directory_entry(member);
    const std::uint64_t bytes = directory.size();
    return directory + end_records(members.size(), std::uint64_t(directory_at), bytes, comment);
}

}  // namespace voxcc::io::zip
