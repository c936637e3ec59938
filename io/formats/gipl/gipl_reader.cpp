// GIPL files (.gipl, .gipl.gz) of the Guy's Image Processing Lab: 256 bytes of header, then the voxels, all big-endian.
#include "io/binary_numbers.h"
#include "io/contiguous_reader.h"
#include "io/formats/gipl/gipl.h"
#include "io/formats/gipl/gipl_header.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>

namespace voxcc::io {
namespace {

using Bytes = std::span<const std::byte>;

// Byte offsets of the fields. The fields between them are texts and values that no program agrees on.
constexpr std::size_t extents_at = 0, type_at = 8, spacing_at = 10, origin_at = 204, magic_at = 252;

template <class T>
T field(Bytes header, std::size_t offset) {
    return number_at<T>(header, offset, std::endian::big);
}

struct GiplType {
    std::uint16_t code;
    ScalarType type;
};
using enum ScalarType;
constexpr std::array gipl_types{GiplType{7, i8},   GiplType{8, u8},   GiplType{15, i16}, GiplType{16, u16},
                                GiplType{31, u32}, GiplType{32, i32}, GiplType{64, f32}, GiplType{65, f64}};

ScalarType type_of(std::uint16_t code, const std::string& path) {
    const auto* const found = std::ranges::find(gipl_types, code, &GiplType::code);
    if (found == gipl_types.end())
        throw Error(ErrorKind::unsupported_file, path, "voxels of the GIPL type " + std::to_string(code) + " are not read");
    return found->type;
}

/// In mm. The axes are the ones of ITK: left, posterior, superior.
Geometry geometry_of(Bytes header) {
    const Vector3 spacing = numbers_at<float>(header, spacing_at, std::endian::big);
    if (!std::ranges::all_of(spacing, [](double step) { return std::isfinite(step) && step > 0; })) return {};
    const Steps steps{{{{spacing[0], 0, 0}, {0, spacing[1], 0}, {0, 0, spacing[2]}}},
                      numbers_at<double>(header, origin_at, std::endian::big)};
    return {.affine = affine_from(steps, Anatomical::lps), .spacing = spacing, .unit = LengthUnit::mm, .source = "the header"};
}

/// Sets the extent and the number of volumes. Axes that a file does not use are 0 or 1.
void set_extent(VolumeInfo& info, Bytes header) {
    std::array<std::int64_t, 4> sizes{};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] = field<std::uint16_t>(header, extents_at + 2 * axis);
    info.extent = {sizes[0], sizes[1], std::max<std::int64_t>(sizes[2], 1)};
    info.volumes = std::max<std::int64_t>(sizes[3], 1);
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
}

ContiguousFile read_header(const std::string& path) {
    auto file = std::make_unique<DecodedFile>(path);
    std::array<std::byte, gipl_header_bytes> header{};
    if (const std::size_t got = file->read_some(0, header); got < header.size())
        throw Error(ErrorKind::truncated_file, path,
                    "expected " + std::to_string(header.size()) + " bytes of the header, got " + std::to_string(got));
    if (!has_gipl_magic(header)) throw Error(ErrorKind::invalid_file, path, "is not a GIPL file: its magic number at byte 252 is wrong");
    VolumeInfo info;
    info.path = path;
    info.format = "GIPL";
    info.compression = name_of(file->compression());
    info.type = type_of(field<std::uint16_t>(header, type_at), path);
    info.stored_type = name_of(info.type);
    set_extent(info, header);
    info.geometry = geometry_of(header);
    const std::int64_t bytes_per_voxel = size_of(info.type);
    ContiguousVoxels voxels{.offset = gipl_header_bytes,
                            .bytes = bytes_of_volumes(info, bytes_per_voxel),
                            .bytes_per_voxel = bytes_per_voxel,
                            .byte_order = std::endian::big};
    return {std::move(info), std::move(voxels), std::move(file)};
}

}  // namespace

bool has_gipl_magic(std::span<const std::byte> start) {
    constexpr std::array<std::uint32_t, 2> magic{719555000, 4026526128};
    return start.size() >= gipl_header_bytes && std::ranges::find(magic, field<std::uint32_t>(start, magic_at)) != magic.end();
}

std::unique_ptr<VolumeReader> open_gipl(const std::string& path, const OpenOptions& options) {
    return open_contiguous(read_header(path), options);
}

VolumeInfo describe_gipl(const std::string& path, const OpenOptions&) { return checked_info(read_header(path)); }

}  // namespace voxcc::io
