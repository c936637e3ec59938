// The records of ZIP archives: signatures, lengths, and little-endian numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace voxcc::io::zip {

constexpr std::uint32_t local_signature = 0x04034b50, member_signature = 0x02014b50, end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
constexpr std::int64_t local_bytes = 30, member_bytes = 46, end_bytes = 22, locator64_bytes = 20;  // without names and extra fields
constexpr std::size_t extra64_id = 1;
constexpr int encrypted_flag = 1, deflate_method = 8;
constexpr std::int64_t see_extra64 = 0xffffffff;  // a number that is in the zip64 field

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
    T number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) number = T(number | T(static_cast<unsigned char>(bytes[offset + i])) << 8 * i);
    return number;
}
inline std::uint16_t u16_at(std::string_view bytes, std::size_t offset) { return number_at<std::uint16_t>(bytes, offset); }
inline std::uint32_t u32_at(std::string_view bytes, std::size_t offset) { return number_at<std::uint32_t>(bytes, offset); }
inline std::uint64_t u64_at(std::string_view bytes, std::size_t offset) { return number_at<std::uint64_t>(bytes, offset); }

/// Appends a number.
template <class T>
void put(std::string& bytes, T number) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes += char(number >> 8 * i & 0xff);
}

}  // namespace voxcc::io::zip
