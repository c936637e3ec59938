#include "io/contiguous_reader.h"
#include "io/formats/nifti/nifti.h"
#include "io/formats/nifti/nifti_header.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace voxcc::io {
namespace {

constexpr std::array header_extensions{".hdr.gz", ".hdr"};
constexpr std::array voxel_extensions{".img", ".img.gz"};

std::string upper_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return text;
}

/// The name of one file of a pair, divided.
struct PairName {
    std::string stem, extension;
    bool is_in_upper_case() const { return !extension.empty() && extension == upper_case(extension); }
};

template <std::size_t count>
PairName divided(const std::string& path, const std::array<const char*, count>& extensions) {
    for (const char* extension : extensions) {
        if (!has_extension(path, {extension})) continue;
        const std::string stem = without_extension(path, extension);
        return {stem, path.substr(stem.size())};
    }
    return {path, ""};
}

// @return the first file that exists, in the case of the given name, and else in the other case
std::optional<std::string> other_of_pair(const PairName& given, std::initializer_list<const char*> extensions) {
    for (const bool upper : {given.is_in_upper_case(), !given.is_in_upper_case()})
        for (const std::string extension : extensions)
            if (const std::string path = given.stem + (upper ? upper_case(extension) : extension); std::filesystem::exists(path))
                return path;
    return std::nullopt;
}

std::string missing_name(const PairName& given, const std::string& extension) {
    return given.stem + (given.is_in_upper_case() ? upper_case(extension) : extension);
}

// @return the header file if `path` is the voxel file of a pair, else `path`
std::string header_path(const std::string& path) {
    const PairName voxels = divided(path, voxel_extensions);
    if (voxels.extension.empty()) return path;
    if (const auto header = other_of_pair(voxels, {".hdr", ".hdr.gz"})) return *header;
    throw Error(ErrorKind::missing_part, path, "its header " + missing_name(voxels, ".hdr") + " is missing");
}

// @return the voxel file of a pair, if it exists
std::optional<std::string> find_voxels(const std::string& header) {
    return other_of_pair(divided(header, header_extensions), {".img", ".img.gz"});
}

std::string voxel_path(const std::string& header) {
    if (const auto voxels = find_voxels(header)) return *voxels;
    throw Error(ErrorKind::missing_part, header,
                "is the header of a pair, and " + missing_name(divided(header, header_extensions), ".img") + " is missing");
}

// The result of reading the headers, before any voxel is read.
struct OpenedNifti {
    NiftiContent content;
    std::endian byte_order;
    std::unique_ptr<DecodedFile> voxels;
};

// Converts IEEE binary128 to double, rounded to nearest even.
double double_from_quad(std::uint64_t high, std::uint64_t low, const std::string& path) {
    const bool negative = high >> 63 != 0;
    const int exponent = int(high >> 48 & 0x7fff);
    const std::uint64_t fraction = high & 0xffffffffffff;
    double magnitude = 0;
    if (exponent == 0x7fff) {
        magnitude = fraction == 0 && low == 0 ? HUGE_VAL : std::nan("");
    } else if (exponent == 0 && (fraction != 0 || low != 0)) {
        // Measured values are never this small. These are 80-bit x87 numbers, which some programs store under the same datatype code.
        throw Error(ErrorKind::invalid_file, path, "float128 voxels that are not IEEE quadruple precision; convert the file to float64");
    } else if (exponent != 0) {
        std::uint64_t mantissa = std::uint64_t{1} << 52 | fraction << 4 | low >> 60;
        const std::uint64_t rest = low << 4, half = std::uint64_t{1} << 63;
        if (rest > half || (rest == half && mantissa % 2 == 1)) ++mantissa;
        magnitude = std::ldexp(double(mantissa), exponent - 16383 - 52);
    }
    return negative ? -magnitude : magnitude;
}

/// Converts numbers of 128 bits in host byte order, whose halves of 64 bits are in the order of the file, to doubles in place.
void quads_to_doubles(std::byte* voxels, std::int64_t count, std::endian byte_order, const std::string& path) {
    for (std::int64_t i = 0; i < count; ++i) {
        std::array<std::uint64_t, 2> halves{};
        std::memcpy(halves.data(), voxels + i * 16, 16);
        // The half with the exponent is first in big-endian order and second in little-endian order.
        const double value =
            byte_order == std::endian::big ? double_from_quad(halves[0], halves[1], path) : double_from_quad(halves[1], halves[0], path);
        std::memcpy(voxels + i * 8, &value, 8);
    }
}

ContiguousVoxels voxels_of(const NiftiContent& content, std::endian byte_order, const std::string& path) {
    ContiguousVoxels voxels{
        .offset = content.offset, .bytes = content.bytes, .bytes_per_voxel = content.type.bytes, .byte_order = byte_order};
    if (content.type.bytes == 16)
        voxels.convert = [byte_order, path](std::byte* at, std::int64_t count) { quads_to_doubles(at, count, byte_order, path); };
    return voxels;
}

// @return the header and the file of the voxels, which is compared with the header
OpenedNifti open_headers(const std::string& path) {
    auto file = std::make_unique<DecodedFile>(header_path(path), Pipes::read);
    auto header = std::make_shared<NiftiHeader>(read_nifti_header(*file));
    OpenedNifti opened{interpret(*header, file->path()), header->byte_order, nullptr};
    if (header->is_pair() && file->is_pipe())
        throw Error(ErrorKind::unsupported_file, path,
                    "is the header of a pair of files; write both to a folder, and give the name of one");
    if (header->is_pair()) file = std::make_unique<DecodedFile>(voxel_path(file->path()));
    VolumeInfo& info = opened.content.info;
    check_length(voxels_of(opened.content, opened.byte_order, path), *file, info.warnings);
    info.path = path;
    info.compression = name_of(file->compression());
    info.native = header;
    opened.voxels = std::move(file);
    return opened;
}

}  // namespace

VolumeInfo describe_nifti(const std::string& path, const OpenOptions&) { return open_headers(path).content.info; }

std::vector<std::string> files_of_nifti(const std::string& path, const OpenOptions&) {
    std::vector<std::string> files{path};
    const std::string header = files.emplace_back(header_path(path));
    if (const auto voxels = find_voxels(header)) files.push_back(*voxels);
    return files;
}

std::unique_ptr<VolumeReader> open_nifti(const std::string& path, const OpenOptions& options) {
    OpenedNifti opened = open_headers(path);
    const std::int64_t volume = chosen_volume(opened.content.info, options);
    ContiguousVoxels voxels = voxels_of(opened.content, opened.byte_order, path);
    return open_contiguous(std::move(opened.content.info), std::move(opened.voxels), std::move(voxels), {volume, options.kept});
}

}  // namespace voxcc::io
