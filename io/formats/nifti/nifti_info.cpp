#include "io/formats/nifti/nifti_header.h"

#include <cmath>

namespace voxcc::io {
namespace {

using enum NiftiField;
using enum ScalarType;
constexpr std::array readable_types{
    NiftiType{2, u8, 1, "uint8"},      NiftiType{4, i16, 2, "int16"},        NiftiType{8, i32, 4, "int32"},
    NiftiType{16, f32, 4, "float32"},  NiftiType{64, f64, 8, "float64"},     NiftiType{256, i8, 1, "int8"},
    NiftiType{512, u16, 2, "uint16"},  NiftiType{768, u32, 4, "uint32"},     NiftiType{1024, i64, 8, "int64"},
    NiftiType{1280, u64, 8, "uint64"}, NiftiType{1536, f64, 16, "float128"},
};

const char* unreadable_type(std::int64_t code) {
    switch (code) {
        case 1: return "single bits (DT_BINARY)";
        case 32:
        case 1792:
        case 2048: return "complex numbers";
        case 128: return "RGB colours";
        case 2304: return "RGBA colours";
        default: return nullptr;
    }
}

Extent read_extent(const NiftiHeader& header, std::int64_t rank) {
    Extent extent{1, 1, 1};
    if (rank >= 1) extent.nx = header.integer(dim, 1);
    if (rank >= 2) extent.ny = header.integer(dim, 2);
    if (rank >= 3) extent.nz = header.integer(dim, 3);
    return extent;
}

/// The number of volumes along an axis. Some programs write 0 for axes without extent.
std::int64_t read_count(const NiftiHeader& header, int axis, const std::string& path, std::vector<std::string>& warnings) {
    const std::int64_t n = header.integer(dim, axis);
    const std::string field = "dim[" + std::to_string(axis) + "]";
    if (n < 0) throw Error(ErrorKind::invalid_file, path, field + " is " + std::to_string(n));
    if (n == 0) warnings.push_back(field + " is 0, and is taken as 1");
    return n == 0 ? 1 : n;
}

Scaling read_scaling(const NiftiHeader& header, std::vector<std::string>& warnings) {
    const double slope = header.real(scl_slope), intercept = header.real(scl_inter);
    if (slope == 0 || std::isnan(slope)) return {};  // no scaling, as in the standard; NaN as in nibabel
    if (std::isfinite(slope) && std::isfinite(intercept)) return {slope, intercept};
    warnings.push_back("scl_slope and scl_inter are not finite: values are taken as stored");
    return {};
}

std::int64_t read_offset(const NiftiHeader& header, const std::string& path) {
    const auto wrong = [&](const std::string& cause) { return Error(ErrorKind::invalid_file, path, "vox_offset " + cause); };
    const double offset = header.real(vox_offset);
    constexpr double most = 1e15;  // exact in a double, and larger than any file
    if (!std::isfinite(offset) || offset != std::floor(offset) || std::abs(offset) > most) throw wrong("is not a number of bytes");
    const auto bytes = std::int64_t(offset);
    const auto first = header.is_pair() ? 0 : std::int64_t(header.bytes.size()) + 4;
    if (bytes < first) throw wrong(std::to_string(bytes) + " lies before the earliest place of voxels, " + std::to_string(first));
    return bytes;
}

}  // namespace

const NiftiType& nifti_type(std::int64_t code, const std::string& path) {
    for (const NiftiType& type : readable_types)
        if (type.code == code) return type;
    if (const char* what = unreadable_type(code)) throw Error(ErrorKind::several_values, path, std::string("voxels are ") + what);
    throw Error(ErrorKind::invalid_file, path, "unknown datatype " + std::to_string(code));
}

int nifti_code(ScalarType type) {
    for (const NiftiType& row : readable_types)
        if (row.type == type) return row.code;
    throw Error(ErrorKind::internal, "NIfTI header", "no datatype for " + std::string(name_of(type)));
}

// CIFTI-2 stores matrices of brain regions in NIfTI-2 headers.
void refuse_cifti(const NiftiHeader& header, const std::string& path) {
    constexpr std::int64_t first = 3001, last = 3099;
    const std::int64_t intent = header.integer(intent_code);
    if (header.version != NiftiVersion::two || intent < first || intent > last) return;
    throw Error(ErrorKind::unsupported_file, path,
                "is not a volume (CIFTI-2 connectivity data, intent " + std::to_string(intent) +
                    "); write its voxels with 'wb_command -cifti-separate'");
}

NiftiContent interpret(const NiftiHeader& header, const std::string& path) {
    refuse_cifti(header, path);
    const std::int64_t rank = header.integer(dim, 0);
    if (rank < 1 || rank > 7)
        throw Error(ErrorKind::invalid_file, path, "a rank (dim[0]) of " + std::to_string(rank) + ", which must be 1 to 7");
    const NiftiType& type = nifti_type(header.integer(datatype), path);

    NiftiContent content{{}, type, read_offset(header, path), 0};
    VolumeInfo& info = content.info;
    info.path = path;
    info.warnings = header.warnings;
    info.format = header.version == NiftiVersion::one ? "NIfTI-1" : "NIfTI-2";
    info.extent = read_extent(header, rank);
    info.type = type.type;
    info.stored_type = type.name;
    info.dimensions = rank <= 2 || info.extent.nz == 1 ? 2 : 3;
    content.bytes = checked_bytes(info.extent, type.bytes, path);
    if (const std::int64_t bits = header.integer(bitpix); bits != type.bytes * 8)
        info.warnings.push_back("states " + std::to_string(bits) + " bits per voxel (bitpix), but the datatype " + std::string(type.name) +
                                "; the datatype is used");
    for (int axis = 4; axis <= rank; ++axis) {
        const std::int64_t n = read_count(header, axis, path, info.warnings);
        if (__builtin_mul_overflow(content.bytes, n, &content.bytes))
            throw Error(ErrorKind::invalid_file, path, "the header claims more than 2^63 bytes of voxels");
        info.volumes *= n;
    }
    info.scaling = read_scaling(header, info.warnings);
    info.geometry = nifti_geometry(header, int(rank));
    return content;
}

}  // namespace voxcc::io
