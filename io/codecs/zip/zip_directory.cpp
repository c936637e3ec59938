#include "io/codecs/zip/zip_directory.h"

#include "io/codecs/zip/zip_fields.h"

#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::int64_t best_ratio = 1032, slack = 1024;  // of deflate; slack for short members

[[noreturn]] void fail(const InputFile& file, const std::string& cause) {
    throw Error(ErrorKind::invalid_file, file.path(), "its ZIP directory is invalid: " + cause);
}

std::string bytes_at(const InputFile& file, std::int64_t offset, std::int64_t count) {
    std::string bytes(std::size_t(count), '\0');
    file.read(offset, std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

struct End {
    std::int64_t members = 0, bytes = 0, offset = 0;  // of the directory
    std::int64_t at = 0;                              // byte offset of the first record after the directory
};

// A value of zip64 that must fit a file offset.
std::int64_t checked(std::uint64_t value, const InputFile& file) {
    if (value > std::uint64_t(file.size())) fail(file, "it leads outside of the file");
    return std::int64_t(value);
}

End read_end64(const InputFile& file, std::int64_t locator_at, End end) {
    constexpr std::int64_t record_bytes = 56;
    const std::string locator = bytes_at(file, locator_at, zip::locator64_bytes);
    end.at = checked(zip::u64_at(locator, 8), file);
    if (end.at + record_bytes > locator_at) fail(file, "it leads outside of the file");
    const std::string record = bytes_at(file, end.at, record_bytes);
    if (zip::u32_at(record, 0) != zip::end64_signature) fail(file, "the zip64 record is missing");
    end.members = checked(zip::u64_at(record, 32), file);
    end.bytes = checked(zip::u64_at(record, 40), file);
    end.offset = checked(zip::u64_at(record, 48), file);
    return end;
}

// The end record is the last record of the file. A comment of up to 64 KiB can follow it.
End read_end(const InputFile& file) {
    constexpr std::int64_t longest_comment = 65535;
    const std::int64_t bytes = std::min(file.size(), zip::end_bytes + longest_comment), first = file.size() - bytes;
    if (bytes < zip::end_bytes) throw Error(ErrorKind::truncated_file, file.path(), "is too short for a ZIP archive");
    const std::string tail = bytes_at(file, first, bytes);
    for (std::int64_t at = bytes - zip::end_bytes; at >= 0; --at) {
        const auto record = std::string_view(tail).substr(std::size_t(at));
        if (zip::u32_at(record, 0) != zip::end_signature || at + zip::end_bytes + zip::u16_at(record, 20) != bytes) continue;
        if (zip::u16_at(record, 4) != 0 || zip::u16_at(record, 6) != 0)
            throw Error(ErrorKind::unsupported_file, file.path(), "is one part of a ZIP archive of several parts; join the parts first");
        End end{zip::u16_at(record, 10), zip::u32_at(record, 12), zip::u32_at(record, 16), first + at};
        const std::int64_t locator_at = end.at - zip::locator64_bytes;
        if (locator_at >= 0 && zip::u32_at(bytes_at(file, locator_at, 4), 0) == zip::locator64_signature)
            return read_end64(file, locator_at, end);
        return end;
    }
    throw Error(ErrorKind::truncated_file, file.path(), "has no directory of a ZIP archive at its end");
}

// The zip64 field has 8 bytes for each number that is 0xffffffff in the record, in this order.
void read_extra64(std::string_view extra, ZipMember& member, const std::array<bool, 3>& wanted, const InputFile& file) {
    while (extra.size() >= 4) {
        const std::size_t id = zip::u16_at(extra, 0), length = zip::u16_at(extra, 2);
        if (extra.size() < 4 + length) fail(file, "an extra field of '" + member.name + "' is too long");
        std::string_view field = extra.substr(4, length);
        extra.remove_prefix(4 + length);
        if (id != zip::extra64_id) continue;
        const std::array<std::int64_t*, 3> numbers{&member.size, &member.stored, &member.header_at};
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (!wanted[i]) continue;
            if (field.size() < 8) fail(file, "the zip64 field of '" + member.name + "' is too short");
            const std::uint64_t value = zip::u64_at(field, 0);
            if (value > std::uint64_t{1} << 62) fail(file, "'" + member.name + "' claims more than 2^62 bytes");
            *numbers[i] = std::int64_t(value);
            field.remove_prefix(8);
        }
        return;
    }
    fail(file, "the zip64 field of '" + member.name + "' is missing");
}

/// Reads one member from the start of `directory`, and removes it from there.
ZipMember read_member(std::string_view& directory, const InputFile& file) {
    if (directory.size() < zip::member_bytes || zip::u32_at(directory, 0) != zip::member_signature) fail(file, "a member is missing");
    const std::size_t name = zip::u16_at(directory, 28), extra = zip::u16_at(directory, 30), comment = zip::u16_at(directory, 32);
    if (directory.size() < zip::member_bytes + name + extra + comment) fail(file, "a member ends too early");
    ZipMember member{.name = std::string(directory.substr(zip::member_bytes, name)),
                     .method = zip::u16_at(directory, 10),
                     .crc = zip::u32_at(directory, 16),
                     .stored = zip::u32_at(directory, 20),
                     .size = zip::u32_at(directory, 24),
                     .header_at = zip::u32_at(directory, 42)};
    if (zip::u16_at(directory, 8) & zip::encrypted_flag)
        throw Error(ErrorKind::unsupported_file, file.path(), "'" + member.name + "' is encrypted; decrypt it first");
    const std::array<bool, 3> is_long{member.size == zip::see_extra64, member.stored == zip::see_extra64,
                                      member.header_at == zip::see_extra64};
    if (std::ranges::find(is_long, true) != is_long.end())
        read_extra64(directory.substr(zip::member_bytes + name, extra), member, is_long, file);
    directory.remove_prefix(zip::member_bytes + name + extra + comment);
    return member;
}

void locate(ZipMember& member, std::int64_t directory_at, const InputFile& file) {
    if (member.header_at > directory_at - zip::local_bytes) fail(file, "'" + member.name + "' lies outside of the file");
    const std::string local = bytes_at(file, member.header_at, zip::local_bytes);
    const std::int64_t name = zip::u16_at(local, 26), extra = zip::u16_at(local, 28);
    if (zip::u32_at(local, 0) != zip::local_signature || zip::u16_at(local, 8) != member.method || name != std::int64_t(member.name.size()))
        fail(file, "the header of '" + member.name + "' is different");
    member.offset = member.header_at + zip::local_bytes + name + extra;
    if (member.offset > directory_at || member.stored > directory_at - member.offset)
        throw Error(ErrorKind::wrong_size, file.path(), "'" + member.name + "' is longer than the file");
    if (bytes_at(file, member.header_at + zip::local_bytes, name) != member.name)
        fail(file, "the header of '" + member.name + "' has another name");
    if (member.method == 0 ? member.size != member.stored : member.size / best_ratio > member.stored + slack)
        throw Error(ErrorKind::wrong_size, file.path(),
                    "'" + member.name + "' claims " + std::to_string(member.size) + " bytes, and has " + std::to_string(member.stored));
}

void refuse_overlaps(std::vector<ZipMember> members, const InputFile& file) {
    std::ranges::sort(members, {}, &ZipMember::header_at);
    for (std::size_t i = 1; i < members.size(); ++i)
        if (members[i].header_at < members[i - 1].offset + members[i - 1].stored)
            fail(file, "'" + members[i - 1].name + "' and '" + members[i].name + "' overlap");
}

void refuse_equal_names(const std::vector<ZipMember>& members, const InputFile& file) {
    std::vector<std::string_view> names;
    for (const ZipMember& member : members) names.push_back(member.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) fail(file, "it has two members with the name '" + std::string(*twice) + "'");
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const InputFile& file, const ZipLimits& limits) {
    const End end = read_end(file);
    if (end.members > limits.members || end.bytes > limits.directory_bytes)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "has " + std::to_string(end.members) + " members; up to " + std::to_string(limits.members) + " are read");
    if (end.offset > end.at || end.bytes > end.at - end.offset) fail(file, "it leads outside of the file");
    const std::string text = bytes_at(file, end.offset, end.bytes);
    std::string_view directory(text);
    std::vector<ZipMember> members;
    for (std::int64_t i = 0; i < end.members; ++i) {
        members.push_back(read_member(directory, file));
        locate(members.back(), end.offset, file);
    }
    if (!directory.empty()) fail(file, "it has more members than it states");
    refuse_overlaps(members, file);
    refuse_equal_names(members, file);
    return members;
}

}  // namespace voxcc::io
