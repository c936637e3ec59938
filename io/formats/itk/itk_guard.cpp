#include "io/formats/itk/itk_guard.h"

#include "io/binary_numbers.h"
#include "io/files/checked_file.h"
#include "io/formats/itk/png_chunks.h"
#include "io/formats/text/header_text.h"
#include "io/unreadable.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

using Start = std::array<unsigned char, 1024>;  // the first bytes of a file, zero-filled if the file is shorter

Start start_of(const InputFile& file) {
    Start start{};
    file.read_some(0, std::as_writable_bytes(std::span(start)));
    return start;
}

/// A number at a byte offset of the file.
template <class T>
T field(const Start& start, std::size_t offset, std::endian order) {
    return number_at<T>(std::as_bytes(std::span(start)), offset, order);
}

void expect_bytes(const std::string& path, std::int64_t header, std::int64_t voxels, std::int64_t have) {
    if (have < header || have - header < voxels)
        throw Error(ErrorKind::wrong_size, path,
                    "the header claims " + std::to_string(voxels) + " bytes of voxels, but the file has " +
                        std::to_string(std::max<std::int64_t>(0, have - header)));
}

[[noreturn]] void refuse_type(const std::string& path, std::int64_t type) {
    throw Error(ErrorKind::several_values, path, "voxels of type " + std::to_string(type) + " are not read");
}

constexpr std::uint16_t biorad_id = 12345;
constexpr std::size_t biorad_id_offset = 54;

void check_biorad(const InputFile& file) {
    const Start start = start_of(file);
    const auto number = [&](std::size_t offset) { return std::int64_t(field<std::uint16_t>(start, offset, std::endian::little)); };
    constexpr std::int64_t header = 76;
    const std::int64_t is_byte = number(14);
    if (is_byte > 1) refuse_type(file.path(), is_byte);
    const std::int64_t bytes = is_byte == 1 ? 1 : 2;
    expect_bytes(file.path(), header, checked_bytes({number(0), number(2), number(4)}, bytes, file.path()), file.size());
}

void check_bmp(const InputFile& file) {
    const Start start = start_of(file);
    const auto offset = std::int64_t(field<std::uint32_t>(start, 10, std::endian::little));
    const auto width = std::int64_t(field<std::int32_t>(start, 18, std::endian::little));
    const auto height = std::abs(std::int64_t(field<std::int32_t>(start, 22, std::endian::little)));
    const auto bits = field<std::uint16_t>(start, 28, std::endian::little);
    const auto compression = field<std::uint32_t>(start, 30, std::endian::little);
    if (bits != 8 && bits != 24 && bits != 32)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "a picture of " + std::to_string(bits) + " bits per pixel; 8 (grey values), 24 and 32 (colours) are read");
    if (compression != 0) throw Error(ErrorKind::unsupported_file, file.path(), "a compressed BMP is not read; convert it to PNG");
    const std::int64_t row_bytes = (width * (bits / 8) + 3) / 4 * 4;
    expect_bytes(file.path(), offset, checked_bytes({row_bytes, height, 1}, 1, file.path()), file.size());
}

// Checks the end marker, because a decoder fills missing data with grey and continues.
void check_jpeg(const InputFile& file) {
    constexpr std::string_view marker = "\xff\xd9";
    std::array<char, 1024> end{};
    const std::size_t got =
        file.read_some(std::max<std::int64_t>(0, file.size() - std::int64_t(end.size())), std::as_writable_bytes(std::span(end)));
    if (std::string_view(end.data(), got).rfind(marker) == std::string_view::npos)
        throw Error(ErrorKind::truncated_file, file.path(), "has no end marker");
}

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> endings) {
    const std::string lower = lower_case(path);
    return std::ranges::any_of(endings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

}  // namespace

ItkFormat recognise_for_itk(const std::string& path) {
    const InputFile file(path);
    const Start start = start_of(file);
    const auto has = [&](std::size_t offset, std::string_view magic) {
        return std::memcmp(start.data() + offset, magic.data(), magic.size()) == 0;
    };
    if (has(0, "\x89PNG\r\n\x1a\n")) return ItkFormat::png;
    if (has(0, "\xff\xd8\xff")) return ItkFormat::jpeg;
    if (has(0, "BM") && ends_with_any(path, {".bmp"})) return ItkFormat::bmp;
    if (field<std::uint16_t>(start, biorad_id_offset, std::endian::little) == biorad_id && ends_with_any(path, {".pic"}))
        return ItkFormat::biorad;
    refuse_unknown_format(path);
}

void check_whole(const std::string& path, ItkFormat format) {
    const InputFile file(path);
    switch (format) {
        case ItkFormat::biorad: return check_biorad(file);
        case ItkFormat::bmp: return check_bmp(file);
        case ItkFormat::png: return check_png_chunks(file);
        case ItkFormat::jpeg: return check_jpeg(file);
        case ItkFormat::dicom:
        case ItkFormat::nifti:
        case ItkFormat::tiff:
        case ItkFormat::hdf5:
        case ItkFormat::nrrd:
        case ItkFormat::metaimage:
        case ItkFormat::mrc:
        case ItkFormat::vtk:
        case ItkFormat::gipl: return;
    }
}

}  // namespace voxcc::io
