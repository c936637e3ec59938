#include "io/formats/nifti/nifti_header.h"

#include "io/decoded/decoded_file.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

static_assert(std::endian::native == std::endian::little, "fields are put in host byte order");

enum class Kind : std::uint8_t { none, i8, i16, i32, i64, f32, f64 };

constexpr std::size_t size_of(Kind kind) {
    switch (kind) {
        case Kind::none: return 0;
        case Kind::i8: return 1;
        case Kind::i16: return 2;
        case Kind::i32:
        case Kind::f32: return 4;
        default: return 8;
    }
}

struct Place {
    NiftiField field;
    std::size_t offset;
    Kind kind;
    std::size_t count = 1;
};

// Offsets of nifti1.h and nifti2.h, NIfTI Data Format Working Group.
using enum NiftiField;
constexpr std::array nifti1_places{
    Place{sizeof_hdr, 0, Kind::i32},       Place{extents, 32, Kind::i32},     Place{session_error, 36, Kind::i16},
    Place{dim, 40, Kind::i16, 8},          Place{intent_p, 56, Kind::f32, 3}, Place{intent_code, 68, Kind::i16},
    Place{datatype, 70, Kind::i16},        Place{bitpix, 72, Kind::i16},      Place{slice_start, 74, Kind::i16},
    Place{pixdim, 76, Kind::f32, 8},       Place{vox_offset, 108, Kind::f32}, Place{scl_slope, 112, Kind::f32},
    Place{scl_inter, 116, Kind::f32},      Place{slice_end, 120, Kind::i16},  Place{slice_code, 122, Kind::i8},
    Place{xyzt_units, 123, Kind::i8},      Place{cal_max, 124, Kind::f32},    Place{cal_min, 128, Kind::f32},
    Place{slice_duration, 132, Kind::f32}, Place{toffset, 136, Kind::f32},    Place{glmax, 140, Kind::i32},
    Place{glmin, 144, Kind::i32},          Place{qform_code, 252, Kind::i16}, Place{sform_code, 254, Kind::i16},
    Place{quatern, 256, Kind::f32, 3},     Place{qoffset, 268, Kind::f32, 3}, Place{srow_x, 280, Kind::f32, 4},
    Place{srow_y, 296, Kind::f32, 4},      Place{srow_z, 312, Kind::f32, 4},
};
constexpr std::array nifti2_places{
    Place{sizeof_hdr, 0, Kind::i32},    Place{datatype, 12, Kind::i16},     Place{bitpix, 14, Kind::i16},
    Place{dim, 16, Kind::i64, 8},       Place{intent_p, 80, Kind::f64, 3},  Place{pixdim, 104, Kind::f64, 8},
    Place{vox_offset, 168, Kind::i64},  Place{scl_slope, 176, Kind::f64},   Place{scl_inter, 184, Kind::f64},
    Place{cal_max, 192, Kind::f64},     Place{cal_min, 200, Kind::f64},     Place{slice_duration, 208, Kind::f64},
    Place{toffset, 216, Kind::f64},     Place{slice_start, 224, Kind::i64}, Place{slice_end, 232, Kind::i64},
    Place{qform_code, 344, Kind::i32},  Place{sform_code, 348, Kind::i32},  Place{quatern, 352, Kind::f64, 3},
    Place{qoffset, 376, Kind::f64, 3},  Place{srow_x, 400, Kind::f64, 4},   Place{srow_y, 432, Kind::f64, 4},
    Place{srow_z, 464, Kind::f64, 4},   Place{slice_code, 496, Kind::i32},  Place{xyzt_units, 500, Kind::i32},
    Place{intent_code, 504, Kind::i32},
};

std::span<const Place> places(NiftiVersion version) {
    if (version == NiftiVersion::one) return nifti1_places;
    return nifti2_places;
}

constexpr std::size_t header_size(NiftiVersion version) { return version == NiftiVersion::one ? 348 : 540; }
constexpr std::size_t magic_offset(NiftiVersion version) { return version == NiftiVersion::one ? 344 : 4; }

const Place& place_of(NiftiVersion version, NiftiField field) {
    for (const Place& place : places(version))
        if (place.field == field) return place;
    throw Error(ErrorKind::internal, "NIfTI header", "a field that this version does not have");
}

struct TextPlace {
    std::size_t offset, size;  // bytes
};

constexpr TextPlace text_place(NiftiVersion version, NiftiText field) {
    const bool is_one = version == NiftiVersion::one;
    switch (field) {
        case NiftiText::descrip: return {is_one ? 148u : 240u, 80};
        default: return {is_one ? 328u : 508u, 16};
    }
}

template <class T>
T load(const std::byte* from, std::endian order) {
    std::array<std::byte, sizeof(T)> bytes;
    std::copy_n(from, sizeof(T), bytes.begin());
    if (order == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

template <class T>
void store(std::byte* to, T value, std::endian order) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    if (order == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    std::copy(bytes.begin(), bytes.end(), to);
}

bool is_magic(const std::byte* at, NiftiVersion version) {
    const auto equals = [at](const char* magic, std::size_t size) { return std::memcmp(at, magic, size) == 0; };
    if (version == NiftiVersion::one) return equals("n+1\0", 4) || equals("ni1\0", 4);
    return equals("n+2\0\r\n\x1a\n", 8) || equals("ni2\0\r\n\x1a\n", 8);
}

constexpr std::size_t flag_size = 4;  // the "extender" after the header; its first byte is nonzero if extensions follow
constexpr std::int64_t most_extension_bytes = std::int64_t{64} << 20;  // larger claims are refused; a gzip bomb could make them

// Reads the extensions from the end of the flag to `end`, or to the end of the file (the header file of a pair).
void read_extensions(NiftiHeader& header, DecodedFile& file, std::int64_t from, std::int64_t end) {
    const auto wrong = [&](const std::string& cause) {
        return Error(ErrorKind::invalid_file, file.path(), "NIfTI header extension: " + cause);
    };
    constexpr std::int32_t head_size = 8, unit = 16;
    if (end - from > most_extension_bytes) throw wrong("more than 64 MiB between the header and the voxels");
    while (end - from >= head_size) {
        std::array<std::byte, head_size> head{};
        if (file.read_some(from, head) < head.size()) break;
        const auto size = load<std::int32_t>(head.data(), header.byte_order);
        const auto code = load<std::int32_t>(head.data() + 4, header.byte_order);
        if (size == 0 && code == 0) break;  // zero padding before vox_offset
        if (size < head_size) throw wrong("a size of " + std::to_string(size) + " bytes, which is less than 8");
        if (size > end - from) throw wrong("a size of " + std::to_string(size) + " bytes, which reaches into the voxels");
        if (size % unit != 0)
            header.warnings.push_back("has a header extension of " + std::to_string(size) + " bytes, which is not a multiple of 16");
        std::vector<std::byte> content(std::size_t(size - head_size));
        file.read(from + head_size, content);
        content.resize(std::size_t((size + unit - 1) / unit * unit - head_size));
        header.extensions.push_back({code, std::move(content)});
        from += size;
    }
}

Error not_nifti(const std::string& path, const std::string& why) {
    return {ErrorKind::invalid_file, path, "not NIfTI: " + why + "; check that the file is what its name says"};
}

}  // namespace

NiftiHeader NiftiHeader::blank(NiftiVersion version) {
    NiftiHeader header;
    header.version = version;
    header.bytes.resize(header_size(version));
    header.put(sizeof_hdr, 0, std::int64_t(header_size(version)));
    header.put_single_file_magic();
    return header;
}

std::int64_t NiftiHeader::integer(NiftiField field, int index) const {
    const Place& place = place_of(version, field);
    const std::byte* at = bytes.data() + place.offset + std::size_t(index) * size_of(place.kind);
    switch (place.kind) {
        case Kind::i8: return load<std::int8_t>(at, byte_order);
        case Kind::i16: return load<std::int16_t>(at, byte_order);
        case Kind::i32: return load<std::int32_t>(at, byte_order);
        case Kind::i64: return load<std::int64_t>(at, byte_order);
        default: throw Error(ErrorKind::internal, "NIfTI header", "a real field read as an integer");
    }
}

double NiftiHeader::real(NiftiField field, int index) const {
    const Place& place = place_of(version, field);
    const std::byte* at = bytes.data() + place.offset + std::size_t(index) * size_of(place.kind);
    if (place.kind == Kind::f32) return double(load<float>(at, byte_order));
    if (place.kind == Kind::f64) return load<double>(at, byte_order);
    return double(integer(field, index));
}

void NiftiHeader::put(NiftiField field, int index, std::int64_t value) {
    const Place& place = place_of(version, field);
    std::byte* at = bytes.data() + place.offset + std::size_t(index) * size_of(place.kind);
    switch (place.kind) {
        case Kind::i8: store(at, std::int8_t(value), byte_order); break;
        case Kind::i16: store(at, std::int16_t(value), byte_order); break;
        case Kind::i32: store(at, std::int32_t(value), byte_order); break;
        case Kind::i64: store(at, value, byte_order); break;
        default: put_real(field, index, double(value));
    }
}

void NiftiHeader::put_real(NiftiField field, int index, double value) {
    const Place& place = place_of(version, field);
    std::byte* at = bytes.data() + place.offset + std::size_t(index) * size_of(place.kind);
    if (place.kind == Kind::f32) store(at, float(value), byte_order);
    else if (place.kind == Kind::f64) store(at, value, byte_order);
    else throw Error(ErrorKind::internal, "NIfTI header", "a real number put into an integer field");
}

void NiftiHeader::put_text(NiftiText field, std::string_view text) {
    const TextPlace place = text_place(version, field);
    std::byte* const to = bytes.data() + place.offset;
    std::fill_n(to, place.size, std::byte{});
    std::memcpy(to, text.data(), std::min(text.size(), place.size));
}

std::string NiftiHeader::text(NiftiText field) const {
    const TextPlace place = text_place(version, field);
    const auto* const from = reinterpret_cast<const char*>(bytes.data() + place.offset);
    return {from, std::find(from, from + place.size, '\0')};
}

std::string NiftiHeader::magic() const { return {reinterpret_cast<const char*>(bytes.data() + magic_offset(version)), 3}; }

void NiftiHeader::put_single_file_magic() {
    const std::string_view text = version == NiftiVersion::one ? std::string_view("n+1\0", 4) : std::string_view("n+2\0\r\n\x1a\n", 8);
    std::memcpy(bytes.data() + magic_offset(version), text.data(), text.size());
}

std::int64_t NiftiHeader::end_of_extensions() const {
    std::int64_t end = std::int64_t(bytes.size() + flag_size);
    for (const NiftiExtension& extension : extensions) end += std::int64_t(extension.content.size()) + 8;
    return end;
}

std::vector<std::byte> NiftiHeader::serialise() const {
    std::vector<std::byte> all = bytes;
    all.resize(bytes.size() + flag_size);
    if (!extensions.empty()) all[bytes.size()] = std::byte{1};
    for (const NiftiExtension& extension : extensions) {
        const std::size_t at = all.size();
        all.resize(at + 8);
        store(all.data() + at, std::int32_t(extension.content.size() + 8), byte_order);
        store(all.data() + at + 4, extension.code, byte_order);
        all.insert(all.end(), extension.content.begin(), extension.content.end());
    }
    return all;
}

void NiftiHeader::make_little_endian() {
    if (byte_order == std::endian::little) return;
    for (const Place& place : places(version))
        for (std::size_t i = 0; i < place.count; ++i) {
            std::byte* const first = bytes.data() + place.offset + i * size_of(place.kind);
            std::reverse(first, first + size_of(place.kind));
        }
    byte_order = std::endian::little;
}

bool has_nifti_magic(std::span<const std::byte> start) {
    for (const NiftiVersion version : {NiftiVersion::one, NiftiVersion::two})
        if (start.size() >= nifti_magic_end && is_magic(start.data() + magic_offset(version), version)) return true;
    return false;
}

NiftiHeader read_nifti_header(DecodedFile& file) {
    NiftiHeader header;
    header.bytes.resize(header_size(NiftiVersion::two));
    const std::size_t got = file.read_some(0, header.bytes);
    if (got < header_size(NiftiVersion::one)) throw not_nifti(file.path(), "expected a header of 348 bytes, got " + std::to_string(got));

    header.byte_order = std::endian::little;
    const auto is_size = [&](std::endian order, NiftiVersion version) {
        return load<std::int32_t>(header.bytes.data(), order) == std::int32_t(header_size(version));
    };
    bool known = false;
    for (const std::endian order : {std::endian::little, std::endian::big})
        for (const NiftiVersion version : {NiftiVersion::one, NiftiVersion::two})
            if (!known && is_size(order, version)) known = true, header.byte_order = order, header.version = version;
    if (!known) throw not_nifti(file.path(), "its first number is neither 348 nor 540, the size of a header");
    const std::size_t size = header_size(header.version);
    if (got < size) throw not_nifti(file.path(), "expected a header of 540 bytes, got " + std::to_string(got));
    if (!is_magic(header.bytes.data() + magic_offset(header.version), header.version))
        throw not_nifti(file.path(), "its header has no NIfTI magic (Analyze 7.5 files have none; they do not tell left from right)");
    header.bytes.resize(size);

    std::array<std::byte, flag_size> flag{};
    const std::size_t flagged = file.read_some(std::int64_t(size), flag);
    if (flagged < flag_size || flag[0] == std::byte{0}) return header;
    const auto first = std::int64_t(size + flag_size);
    std::int64_t end =
        std::min(file.longest_content(), first + most_extension_bytes);  // the header file of a pair ends after its extensions
    if (!header.is_pair()) {
        const double offset = header.real(vox_offset);
        end =
            offset >= 0 && offset <= double(file.longest_content()) ? std::int64_t(offset) : 0;  // interpret() refuses any other vox_offset
    }
    read_extensions(header, file, first, end);
    return header;
}

}  // namespace voxcc::io
