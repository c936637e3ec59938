#include "io/itk/itk_guard.h"

#include "io/checked_file.h"
#include "io/decoded_file.h"
#include "io/text/header_text.h"
#include "io/unreadable.h"

#include <zlib.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace voxcc::io {
namespace {

using Start = std::array<unsigned char, 1024>;  // the first bytes of a file, zero-filled if the file is shorter

Start start_of(const InputFile& file) {
    Start start{};
    file.read_some(0, std::as_writable_bytes(std::span(start)));
    return start;
}

template <class T>
T number_at(const Start& start, std::size_t offset, std::endian order) {
    std::array<unsigned char, sizeof(T)> bytes{};
    std::copy_n(start.begin() + std::ptrdiff_t(offset), sizeof(T), bytes.begin());
    if (order != std::endian::native) std::ranges::reverse(bytes);
    return std::bit_cast<T>(bytes);
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

std::endian mrc_order(const Start& start) {
    const auto mode = number_at<std::int32_t>(start, 12, std::endian::little);
    return mode >= 0 && mode <= 101 ? std::endian::little : std::endian::big;
}

// @return whether bytes are signed; meaningful for mode 0 only
bool has_signed_bytes(const Start& start) {
    const std::endian order = mrc_order(start);
    constexpr std::int32_t imod_stamp = 1146047817, signed_flag = 1, mrc2014 = 20140;
    if (number_at<std::int32_t>(start, 152, order) == imod_stamp) return number_at<std::int32_t>(start, 156, order) & signed_flag;
    return number_at<std::int32_t>(start, 108, order) >= mrc2014;
}

void check_mrc(const InputFile& file) {
    const Start start = start_of(file);
    const std::endian order = mrc_order(start);
    const Extent extent{number_at<std::int32_t>(start, 0, order), number_at<std::int32_t>(start, 4, order),
                        number_at<std::int32_t>(start, 8, order)};
    const auto mode = number_at<std::int32_t>(start, 12, order);
    const auto extended = number_at<std::int32_t>(start, 92, order);
    if (extended < 0) throw Error(ErrorKind::invalid_file, file.path(), "an extended header of " + std::to_string(extended) + " bytes");
    const std::int64_t size = mode == 0 ? 1 : mode == 1 || mode == 6 ? 2 : mode == 2 ? 4 : 0;
    if (size == 0) refuse_type(file.path(), mode);
    for (const std::size_t cell : {40, 44, 48})
        if (!std::isfinite(number_at<float>(start, cell, order)))
            throw Error(ErrorKind::invalid_file, file.path(), "the size of the cell is not a number");
    expect_bytes(file.path(), 1024 + std::int64_t(extended), checked_bytes(extent, size, file.path()), file.size());
}

void check_gipl(const std::string& path) {
    DecodedFile file(path);
    constexpr std::int64_t header = 256;
    Start start{};
    file.read(0, std::as_writable_bytes(std::span(start).first(header)));
    const auto size = [&](std::size_t axis) { return std::int64_t(number_at<std::uint16_t>(start, 2 * axis, std::endian::big)); };
    const Extent extent{size(0), size(1), size(2)};
    const auto type = number_at<std::uint16_t>(start, 8, std::endian::big);
    const std::int64_t bytes = type == 7 || type == 8                   ? 1
                               : type == 15 || type == 16               ? 2
                               : type == 31 || type == 32 || type == 64 ? 4
                               : type == 65                             ? 8
                                                                        : 0;
    if (bytes == 0) refuse_type(path, type);
    if (size(3) > 1) throw Error(ErrorKind::invalid_file, path, "holds several volumes; store each in a file of its own");
    const std::int64_t needed = checked_bytes(extent, bytes, path);
    expect_bytes(path, header, needed, file.longest_content());
    if (!file.is_compressed()) return;
    std::array<std::byte, 1> last{};
    file.read(header + needed - 1, last);
    file.verify_rest();
}

constexpr std::uint16_t biorad_id = 12345;
constexpr std::size_t biorad_id_offset = 54;

void check_biorad(const InputFile& file) {
    const Start start = start_of(file);
    const auto number = [&](std::size_t offset) { return std::int64_t(number_at<std::uint16_t>(start, offset, std::endian::little)); };
    constexpr std::int64_t header = 76;
    const std::int64_t is_byte = number(14);
    if (is_byte > 1) refuse_type(file.path(), is_byte);
    const std::int64_t bytes = is_byte == 1 ? 1 : 2;
    expect_bytes(file.path(), header, checked_bytes({number(0), number(2), number(4)}, bytes, file.path()), file.size());
}

struct VtkHeader {
    bool text = false;
    Extent extent;
    std::int64_t bytes_per_voxel = 0, end = 0;
};

VtkHeader read_vtk_header(const InputFile& file) {
    std::string text(std::size_t(std::min<std::int64_t>(file.size(), 1 << 16)), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    static const std::map<std::string_view, std::int64_t> types{
        {"char", 1},  {"unsigned_char", 1}, {"short", 2},     {"unsigned_short", 2}, {"int", 4},           {"unsigned_int", 4},
        {"long", 8},  {"unsigned_long", 8}, {"long_long", 8}, {"vtktypeint64", 8},   {"vtktypeuint64", 8}, {"unsigned_long_long", 8},
        {"float", 4}, {"double", 8}};
    VtkHeader header;
    bool points = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = lower_case(trim(std::string_view(text).substr(at, end - at)));
        at = std::min(end + 1, text.size());
        header.end = std::int64_t(at);
        if (header.bytes_per_voxel > 0) {  // the line after SCALARS may be LOOKUP_TABLE; else it is the first voxel
            if (!line.starts_with("lookup_table")) header.end = std::int64_t(end) - std::int64_t(line.size());
            return header;
        }
        if (line == "ascii") header.text = true;
        if (line.starts_with("dataset")) points = line.find("structured_points") != line.npos;
        for (const std::string_view field : {"spacing", "origin", "aspect_ratio"})
            if (line.starts_with(field) && parse_doubles(std::string_view(line).substr(field.size()), file.path(), field).size() != 3)
                throw Error(ErrorKind::invalid_file, file.path(), "'" + std::string(field) + "' is not of three numbers");
        if (line.starts_with("dimensions ")) {
            const auto sizes = parse_integers(std::string_view(line).substr(11), file.path(), "dimensions");
            if (sizes.size() != 3) throw Error(ErrorKind::invalid_file, file.path(), "'DIMENSIONS' is not of three numbers");
            header.extent = {sizes[0], sizes[1], sizes[2]};
        }
        if (line.starts_with("color_scalars") || line.starts_with("vectors") || line.starts_with("tensors"))
            throw Error(ErrorKind::several_values, file.path(), "its voxels are vectors or colours");
        if (!line.starts_with("scalars ")) continue;
        const std::size_t name = line.find_first_not_of(' ', 8);
        const std::size_t type = std::min(line.find_first_not_of(' ', std::min(line.find(' ', name), line.size())), line.size());
        const std::string word = line.substr(type, line.find(' ', type) - type);
        const auto found = types.find(word);
        if (found == types.end()) throw Error(ErrorKind::unsupported_file, file.path(), "voxels of type '" + word + "' are not read");
        header.bytes_per_voxel = found->second;
        if (!points) break;
    }
    throw Error(ErrorKind::invalid_file, file.path(), "holds no STRUCTURED_POINTS with SCALARS");
}

void check_vtk(const InputFile& file) {
    const VtkHeader header = read_vtk_header(file);
    const std::int64_t bytes = checked_bytes(header.extent, header.bytes_per_voxel, file.path());
    if (!header.text) return expect_bytes(file.path(), header.end, bytes, file.size());
    // Counts the numbers, because ITK continues if one is missing.
    std::int64_t numbers = 0;
    char before = ' ';
    std::vector<char> piece(std::size_t{1} << 18);
    for (std::int64_t at = header.end; numbers <= header.extent.voxels();) {
        const std::size_t got = file.read_some(at, std::as_writable_bytes(std::span(piece)));
        if (got == 0) break;
        at += std::int64_t(got);
        for (const char c : std::span(piece).first(got)) {
            const bool starts = std::isspace(static_cast<unsigned char>(before)) && !std::isspace(static_cast<unsigned char>(c));
            if (starts && numbers < header.extent.voxels() && !std::strchr("+-.0123456789niNI", c))
                throw Error(ErrorKind::invalid_file, file.path(), "voxel " + std::to_string(numbers) + " is not a number");
            numbers += starts;
            before = c;
        }
    }
    if (numbers == header.extent.voxels() && !std::isspace(static_cast<unsigned char>(before)))
        throw Error(ErrorKind::truncated_file, file.path(), "ends inside its last number");
    if (numbers < header.extent.voxels())
        throw Error(ErrorKind::wrong_size, file.path(),
                    "the header claims " + std::to_string(header.extent.voxels()) + " voxels, there are " + std::to_string(numbers));
}

void check_bmp(const InputFile& file) {
    const Start start = start_of(file);
    const auto offset = std::int64_t(number_at<std::uint32_t>(start, 10, std::endian::little));
    const auto width = std::int64_t(number_at<std::int32_t>(start, 18, std::endian::little));
    const auto height = std::abs(std::int64_t(number_at<std::int32_t>(start, 22, std::endian::little)));
    const auto bits = number_at<std::uint16_t>(start, 28, std::endian::little);
    const auto compression = number_at<std::uint32_t>(start, 30, std::endian::little);
    if (bits != 8 && bits != 24 && bits != 32)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "a picture of " + std::to_string(bits) + " bits per pixel; 8 (grey values), 24 and 32 (colours) are read");
    if (compression != 0) throw Error(ErrorKind::unsupported_file, file.path(), "a compressed BMP is not read; convert it to PNG");
    const std::int64_t row_bytes = (width * (bits / 8) + 3) / 4 * 4;
    expect_bytes(file.path(), offset, checked_bytes({row_bytes, height, 1}, 1, file.path()), file.size());
}

// Checks all chunks up to IEND: length, name, bytes, CRC. ITK crashes on errors that libpng finds in a chunk.
void check_png(const InputFile& file) {
    constexpr std::int64_t signature = 8, around = 12;  // bytes of a chunk beside its content
    for (std::int64_t at = signature;;) {
        Start start{};
        file.read(at, std::as_writable_bytes(std::span(start).first(8)));
        const auto length = std::int64_t(number_at<std::uint32_t>(start, 0, std::endian::big));
        const std::string_view name(reinterpret_cast<const char*>(start.data()) + 4, 4);
        if (at + around + length > file.size()) throw Error(ErrorKind::truncated_file, file.path(), "its last chunk is not complete");
        std::vector<std::byte> chunk(std::size_t(length) + 8);
        file.read(at + 4, chunk);
        std::copy_n(reinterpret_cast<const unsigned char*>(chunk.data()) + length + 4, 4, start.begin() + 8);
        if (crc32_z(0, reinterpret_cast<const Bytef*>(chunk.data()), chunk.size() - 4) !=
            number_at<std::uint32_t>(start, 8, std::endian::big))
            throw Error(ErrorKind::corrupt_file, file.path(), "the CRC of a chunk is wrong (" + std::string(name) + ")");
        if (name == "IEND") return;
        at += around + length;
    }
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
    if (has(0, "# vtk DataFile")) return ItkFormat::vtk;
    if (has(0, "\x89PNG\r\n\x1a\n")) return ItkFormat::png;
    if (has(0, "\xff\xd8\xff")) return ItkFormat::jpeg;
    if (has(0, "BM") && ends_with_any(path, {".bmp"})) return ItkFormat::bmp;
    if (has(208, "MAP ") || ends_with_any(path, {".mrc", ".rec", ".map"}))
        return has_signed_bytes(start) ? ItkFormat::mrc_signed : ItkFormat::mrc;
    if (ends_with_any(path, {".gipl", ".gipl.gz"})) return ItkFormat::gipl;
    if (number_at<std::uint16_t>(start, biorad_id_offset, std::endian::little) == biorad_id && ends_with_any(path, {".pic"}))
        return ItkFormat::biorad;
    refuse_unknown_format(path);
}

void check_whole(const std::string& path, ItkFormat format) {
    const InputFile file(path);
    switch (format) {
        case ItkFormat::mrc:
        case ItkFormat::mrc_signed: return check_mrc(file);
        case ItkFormat::vtk: return check_vtk(file);
        case ItkFormat::gipl: return check_gipl(path);
        case ItkFormat::biorad: return check_biorad(file);
        case ItkFormat::bmp: return check_bmp(file);
        case ItkFormat::png: return check_png(file);
        case ItkFormat::jpeg: return check_jpeg(file);
        case ItkFormat::dicom:
        case ItkFormat::nifti:
        case ItkFormat::tiff:
        case ItkFormat::hdf5:
        case ItkFormat::nrrd:
        case ItkFormat::metaimage: return;
    }
}

}  // namespace voxcc::io
