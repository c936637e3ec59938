#include "io/formats/mgh/mgh_header.h"

#include "io/binary_numbers.h"
#include "io/decoded/decoded_file.h"
#include "io/formats/stored/stored_writer.h"
#include "io/orientation.h"
#include "io/samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace voxcc::io {
namespace {

using enum ScalarType;

struct MghType {
    std::int32_t code;
    ScalarType type;
};
constexpr std::array mgh_types{MghType{0, u8}, MghType{1, i32}, MghType{3, f32}, MghType{4, i16}, MghType{10, u16}};

// Byte offsets of the fields.
constexpr std::size_t version_at = 0, extents_at = 4, volumes_at = 16, type_at = 20, has_geometry_at = 28, spacing_at = 30,
                      directions_at = 42, centre_at = 78;

/// A number at a byte offset of the header.
template <class T>
T field(std::span<const std::byte> header, std::size_t offset) {
    return number_at<T>(header, offset, std::endian::big);
}

template <class T>
void put_number(std::span<std::byte> header, std::size_t offset, T number) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(number);
    if (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
    std::ranges::copy(bytes, header.begin() + std::ptrdiff_t(offset));
}

std::array<double, 3> floats_at(std::span<const std::byte> header, std::size_t offset) {
    return numbers_at<float>(header, offset, std::endian::big);
}

const MghType* type_of(std::int32_t code) {
    const auto* const found = std::ranges::find(mgh_types, code, &MghType::code);
    return found == mgh_types.end() ? nullptr : found;
}

/// The centre is the position of the index (nx / 2, ny / 2, nz / 2), also for odd extents.
Steps steps_from(const std::array<Vector3, 3>& columns, const Vector3& centre, const Extent& extent) {
    Steps steps{columns, centre};
    const std::array<double, 3> middle{double(extent.nx) / 2, double(extent.ny) / 2, double(extent.nz) / 2};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis) steps.origin[row] -= columns[axis][row] * middle[axis];
    return steps;
}

Geometry geometry_of(std::span<const std::byte> header, const Extent& extent) {
    Geometry geometry{.unit = LengthUnit::mm, .source = "the header"};
    if (field<std::int16_t>(header, has_geometry_at) <= 0) {
        geometry.affine = affine_from(steps_from({{{-1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}, {0, 0, 0}, extent), Anatomical::ras);
        geometry.source = "the convention of FreeSurfer";
        geometry.notes.emplace_back("states no geometry; as in FreeSurfer, voxels are 1 mm and slices are coronal");
        return geometry;
    }
    const std::array<double, 3> spacing = floats_at(header, spacing_at);
    std::array<Vector3, 3> columns{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        columns[axis] = floats_at(header, directions_at + 12 * axis);
        for (double& component : columns[axis]) component *= spacing[axis];
    }
    geometry.affine = affine_from(steps_from(columns, floats_at(header, centre_at), extent), Anatomical::ras);
    geometry.spacing = spacing;
    return geometry;
}

void put_geometry(std::span<std::byte> header, const Geometry& geometry, const Extent& extent) {
    const Vector3 plain = geometry.spacing.value_or(Vector3{1, 1, 1});
    Steps steps{{{{plain[0], 0, 0}, {0, plain[1], 0}, {0, 0, plain[2]}}}, {0, 0, 0}};
    if (geometry.affine) steps = steps_of(*geometry.affine, Anatomical::ras);
    const std::array<double, 3> middle{double(extent.nx) / 2, double(extent.ny) / 2, double(extent.nz) / 2};
    put_number(header, has_geometry_at, std::int16_t{1});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double spacing = length(steps.columns[axis]);
        put_number(header, spacing_at + 4 * axis, float(spacing));
        double centre = steps.origin[axis];
        for (std::size_t other = 0; other < 3; ++other) {
            put_number(header, directions_at + 12 * axis + 4 * other, float(steps.columns[axis][other] / spacing));
            centre += steps.columns[other][axis] * middle[other];
        }
        put_number(header, centre_at + 4 * axis, float(centre));
    }
}

}  // namespace

bool has_mgh_header(std::span<const std::byte> start) {
    if (start.size() < mgh_header_bytes || field<std::int32_t>(start, version_at) != 1) return false;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (field<std::int32_t>(start, extents_at + 4 * axis) <= 0) return false;
    const auto has_geometry = field<std::int16_t>(start, has_geometry_at);
    return type_of(field<std::int32_t>(start, type_at)) && (has_geometry == 0 || has_geometry == 1);
}

VolumeInfo read_mgh_header(DecodedFile& file) {
    const std::string& path = file.path();
    std::array<std::byte, mgh_header_bytes> bytes{};
    const std::size_t got = file.read_some(0, bytes);
    const std::span<const std::byte> header(bytes);
    if (got < bytes.size())
        throw Error(ErrorKind::truncated_file, path,
                    "expected " + std::to_string(bytes.size()) + " bytes of the header, got " + std::to_string(got));
    const auto version = field<std::int32_t>(header, version_at);
    if (version != 1)
        throw Error(ErrorKind::invalid_file, path,
                    "is not a FreeSurfer volume, because its version is " + std::to_string(version) + " and not 1");
    std::array<std::int64_t, 4> extents{};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        extents[axis] = field<std::int32_t>(header, extents_at + 4 * axis);
        if (extents[axis] <= 0) throw Error(ErrorKind::invalid_file, path, "has an extent of " + std::to_string(extents[axis]));
    }
    const auto code = field<std::int32_t>(header, type_at);
    const MghType* const type = type_of(code);
    if (!type) throw Error(ErrorKind::unsupported_file, path, "voxels of the FreeSurfer type " + std::to_string(code) + " are not read");
    VolumeInfo info;
    info.path = path;
    info.format = "FreeSurfer";
    info.compression = name_of(file.compression());
    info.extent = {extents[0], extents[1], extents[2]};
    info.volumes = extents[3];
    info.type = type->type;
    info.stored_type = name_of(type->type);
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.geometry = geometry_of(header, info.extent);
    return info;
}

std::vector<std::byte> mgh_header(const LabelVolume& volume) {
    const Extent& extent = volume.like->extent;
    if (std::max({extent.nx, extent.ny, extent.nz, volume.volumes}) > std::numeric_limits<std::int32_t>::max())
        throw Error(ErrorKind::invalid_extent, volume.path, "an extent above 2147483647 does not fit the header; write .nii or .h5");
    const auto* const type = std::ranges::find(mgh_types, volume.type, &MghType::type);
    if (type == mgh_types.end())
        throw Error(ErrorKind::unsupported_label_type, volume.path,
                    "FreeSurfer volumes cannot hold values of type " + std::string(name_of(volume.type)));
    std::vector<std::byte> header(mgh_header_bytes);
    put_number(std::span(header), version_at, std::int32_t{1});
    put_number(std::span(header), extents_at, std::int32_t(extent.nx));
    put_number(std::span(header), extents_at + 4, std::int32_t(extent.ny));
    put_number(std::span(header), extents_at + 8, std::int32_t(extent.nz));
    put_number(std::span(header), volumes_at, std::int32_t(volume.volumes));
    put_number(std::span(header), type_at, type->code);
    const Geometry geometry = usable(volume.like->geometry);
    if (geometry.unit) put_geometry(header, in_unit(geometry, LengthUnit::mm), extent);
    return header;
}

}  // namespace voxcc::io
