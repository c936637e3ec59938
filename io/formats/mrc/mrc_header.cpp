#include "io/formats/mrc/mrc_header.h"

#include "io/binary_numbers.h"
#include "io/samples.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t magic_at = 208, stamp_at = 212, labels_at = 220;  // byte offsets

struct MrcMode {
    std::int32_t number;
    ScalarType type;
    Samples samples = Samples::voxels;
};
constexpr std::array read_modes{MrcMode{0, ScalarType::i8}, MrcMode{1, ScalarType::i16}, MrcMode{2, ScalarType::f32},
                                MrcMode{6, ScalarType::u16}, MrcMode{12, ScalarType::f32, Samples::halves}};

/// Modes that are defined, but are not one number of whole bytes per voxel.
struct UnreadMode {
    std::int32_t number;
    ErrorKind kind;
    std::string_view cause;
};
constexpr std::array unread_modes{
    UnreadMode{3, ErrorKind::several_values, "its voxels are complex numbers of 16-bit integers; save the amplitude in mode 2"},
    UnreadMode{4, ErrorKind::several_values, "its voxels are complex numbers of 32-bit floats; save the amplitude in mode 2"},
    UnreadMode{16, ErrorKind::several_values, "its voxels are colours of three bytes"},
    UnreadMode{101, ErrorKind::unsupported_file, "its voxels have 4 bits; convert it, for example with 'newstack -mode 0' of IMOD"}};

constexpr std::int32_t imod_signed = 1, imod_4_bits = 16;  // flags of IMOD

bool has_magic(Bytes start) {
    constexpr std::string_view magic = "MAP ";
    return start.size() >= mrc_header_bytes &&
           std::equal(magic.begin(), magic.end(), start.begin() + magic_at, [](char c, std::byte b) { return std::byte(c) == b; });
}

std::array<std::int32_t, 3> integers_at(Bytes header, std::size_t offset, std::endian order) {
    std::array<std::int32_t, 3> numbers{};
    for (std::size_t i = 0; i < 3; ++i) numbers[i] = number_at<std::int32_t>(header, offset + 4 * i, order);
    return numbers;
}

MrcFields fields_of(Bytes header, std::endian order) {
    const auto integer = [&](std::size_t offset) { return number_at<std::int32_t>(header, offset, order); };
    MrcFields fields{.extents = integers_at(header, 0, order),
                     .mode = integer(12),
                     .starts = integers_at(header, 16, order),
                     .intervals = integers_at(header, 28, order),
                     .cell = numbers_at<float>(header, 40, order),
                     .angles = numbers_at<float>(header, 52, order),
                     .axes = integers_at(header, 64, order),
                     .space_group = integer(88),
                     .extended_bytes = integer(92),
                     .version = integer(108),
                     .imod_flags = {},
                     .origin = numbers_at<float>(header, 196, order)};
    constexpr std::int32_t imod_stamp = 1146047817;
    if (integer(152) == imod_stamp) fields.imod_flags = integer(156);
    if (fields.axes == std::array{0, 0, 0}) fields.axes = {1, 2, 3};
    return fields;
}

std::string text_of(const std::array<std::int32_t, 3>& numbers) {
    return std::to_string(numbers[0]) + " " + std::to_string(numbers[1]) + " " + std::to_string(numbers[2]);
}

/// The first rule of the format that the fields break; empty if they break none.
std::string fault_of(const MrcFields& fields) {
    if (std::ranges::any_of(fields.extents, [](std::int32_t extent) { return extent <= 0; }))
        return "has the extents " + text_of(fields.extents);
    const auto is_mode = [&](const auto& mode) { return mode.number == fields.mode; };
    if (std::ranges::none_of(read_modes, is_mode) && std::ranges::none_of(unread_modes, is_mode))
        return "has the mode " + std::to_string(fields.mode) + ", which MRC does not define";
    if (!std::ranges::is_permutation(fields.axes, std::array{1, 2, 3}))
        return "has the axes " + text_of(fields.axes) + " (MAPC, MAPR, MAPS), which are not 1, 2 and 3 in any order";
    if (fields.extended_bytes < 0) return "has an extended header of " + std::to_string(fields.extended_bytes) + " bytes";
    return "";
}

const MrcMode* read_mode(std::int32_t number) {
    const auto* const found = std::ranges::find(read_modes, number, &MrcMode::number);
    return found == read_modes.end() ? nullptr : found;
}

std::int64_t stored_bytes(const MrcMode& mode) { return mode.samples == Samples::halves ? 2 : size_of(mode.type); }

/// Whether the header and the voxels that the fields state fit into the file.
bool fits(const MrcFields& fields, std::int64_t content) {
    const MrcMode* const mode = read_mode(fields.mode);
    std::int64_t bytes = mode ? stored_bytes(*mode) : 1;
    for (const std::int32_t extent : fields.extents)
        if (__builtin_mul_overflow(bytes, std::int64_t(extent), &bytes)) return false;
    return bytes <= content - std::int64_t(mrc_header_bytes) - fields.extended_bytes;
}

/// The byte order that the machine stamp states; empty for files without a stamp.
std::optional<std::endian> stamped_order(Bytes header) {
    if (header[stamp_at] == std::byte{0x44}) return std::endian::little;
    if (header[stamp_at] == std::byte{0x11}) return std::endian::big;
    return std::nullopt;
}

struct Order {
    std::endian order = std::endian::little;
    bool is_stamped = true;  // the machine stamp states it, or there is none
};

/// The order in which the fields break no rule. Programs exist that write a wrong machine stamp.
Order order_of(Bytes header, std::int64_t content) {
    using enum std::endian;
    const MrcFields as_little = fields_of(header, little), as_big = fields_of(header, big);
    const bool can_be_little = fault_of(as_little).empty(), can_be_big = fault_of(as_big).empty();
    if (const auto stamped = stamped_order(header)) {
        if (can_be_little == can_be_big) return {*stamped};
        const std::endian order = can_be_little ? little : big;
        return {order, order == *stamped};
    }
    if (can_be_little && can_be_big) return {!fits(as_little, content) && fits(as_big, content) ? big : little};
    return {can_be_big ? big : little};
}

/// Bytes are signed in MRC2014. Older files have unsigned bytes, unless the flags of IMOD state the other.
ScalarType type_of(const MrcFields& fields, const MrcMode& mode) {
    constexpr std::int32_t mrc2014 = 20140;
    if (mode.type != ScalarType::i8) return mode.type;
    const bool is_signed = fields.imod_flags ? (*fields.imod_flags & imod_signed) != 0 : fields.version >= mrc2014;
    return is_signed ? ScalarType::i8 : ScalarType::u8;
}

const MrcMode& mode_of(const MrcFields& fields, const std::string& path) {
    const bool has_4_bits = fields.mode == 0 && fields.imod_flags.value_or(0) & imod_4_bits;
    const std::int32_t number = has_4_bits ? 101 : fields.mode;
    if (const MrcMode* const mode = read_mode(number)) return *mode;
    const UnreadMode& unread = *std::ranges::find(unread_modes, number, &UnreadMode::number);
    throw Error(unread.kind, path, std::string(unread.cause));
}

/// Sets the extent and the number of the volumes. Space groups from 401 on are stacks of volumes with MZ sections each.
void count_volumes(VolumeInfo& info, const MrcFields& fields) {
    const auto& [nx, ny, nz] = fields.extents;
    info.extent = {nx, ny, nz};
    if (fields.space_group >= 401 && fields.space_group <= 630) {
        const std::int32_t sections = fields.intervals[2];
        if (fields.axes != std::array{1, 2, 3})
            throw Error(ErrorKind::unsupported_file, info.path, "is a stack of volumes with the axes " + text_of(fields.axes));
        if (sections <= 0 || nz % sections != 0)
            throw Error(
                ErrorKind::invalid_file, info.path,
                "is a stack of volumes of " + std::to_string(sections) + " sections (MZ), but has " + std::to_string(nz) + " sections");
        info.extent.nz = sections;
        info.volumes = nz / sections;
    }
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
}

/// The name without the extension of a compression.
// "a.map.gz" -> "a.map"
std::string plain_name(const std::string& path) {
    for (const std::string_view extension : {".gz", ".zst"})
        if (has_extension(path, {extension})) return without_extension(path, extension);
    return path;
}

}  // namespace

bool has_mrc_name(const std::string& path) { return has_extension(plain_name(path), {".mrc", ".ccp4"}); }

bool is_mrc(std::span<const std::byte> start, std::int64_t content, const std::string& path) {
    if (has_magic(start)) return true;
    const bool is_named = has_mrc_name(path) || has_extension(plain_name(path), {".map", ".st", ".rec", ".ali"});
    if (!is_named || start.size() < mrc_header_bytes) return false;
    constexpr std::int32_t most_labels = 10;
    const std::endian order = order_of(start, content).order;
    const MrcFields fields = fields_of(start, order);
    const auto labels = number_at<std::int32_t>(start, labels_at, order);
    const auto is_length = [](double number) { return number >= 0; };
    const auto is_angle = [](double number) { return number >= 0 && number < 180; };
    return fault_of(fields).empty() && labels >= 0 && labels <= most_labels && std::ranges::all_of(fields.cell, is_length) &&
           std::ranges::all_of(fields.angles, is_angle) && fits(fields, content);
}

ContiguousFile read_mrc_header(const std::string& path) {
    auto file = std::make_unique<DecodedFile>(path);
    std::array<std::byte, mrc_header_bytes> bytes{};
    if (const std::size_t got = file->read_some(0, bytes); got < bytes.size())
        throw Error(ErrorKind::truncated_file, path,
                    "expected " + std::to_string(bytes.size()) + " bytes of the header, got " + std::to_string(got));
    const std::int64_t content = file->longest_content();
    if (!is_mrc(bytes, content, path))
        throw Error(ErrorKind::invalid_file, path,
                    "is not an MRC file: 'MAP ' is missing at byte 208, and its fields contradict each other");
    const auto [order, is_stamped] = order_of(bytes, content);
    const MrcFields fields = fields_of(bytes, order);
    if (const std::string fault = fault_of(fields); !fault.empty()) throw Error(ErrorKind::invalid_file, path, fault);

    VolumeInfo info;
    info.path = path;
    info.format = "MRC";
    info.compression = name_of(file->compression());
    const MrcMode& mode = mode_of(fields, path);
    const bool has_halves = mode.samples == Samples::halves;
    info.type = type_of(fields, mode);
    info.stored_type = has_halves ? "float16" : name_of(info.type);
    count_volumes(info, fields);
    if (!is_stamped) info.warnings.push_back("its machine stamp states another byte order than its fields");
    info.geometry = mrc_geometry(fields);
    const std::int64_t stored = stored_bytes(mode);
    ContiguousVoxels voxels{.offset = std::int64_t(mrc_header_bytes) + fields.extended_bytes,
                            .bytes = bytes_of_volumes(info, stored),
                            .bytes_per_voxel = stored,
                            .byte_order = order};
    if (has_halves) voxels.convert = halves_to_floats_in_place;
    return {std::move(info), std::move(voxels), std::move(file)};
}

}  // namespace voxcc::io
