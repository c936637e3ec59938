#include "io/formats/metaimage/metaimage_header.h"

#include "io/header_text.h"
#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::int64_t longest_header = std::int64_t{1} << 20;

struct Header {
    Fields fields;
    std::int64_t end = 0;  // end of the text, in bytes: start of LOCAL voxels
};

// Reads lines "Name = value" or "Name: value", as MetaIO does; ElementDataFile is the last.
Header read_header(const InputFile& file) {
    std::string text(std::size_t(std::min(file.size(), longest_header)), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    Header header;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        at = std::min(end + 1, text.size());
        const std::size_t separator = line.find_first_of("=:");
        if (separator == line.npos) {
            if (trim(line).empty()) continue;
            break;
        }
        const std::string name = lower_case(trim(line.substr(0, separator)));
        header.fields[name] = trim(line.substr(separator + 1));
        header.end = std::int64_t(at);
        if (name == "elementdatafile") return header;
    }
    throw Error(ErrorKind::invalid_file, file.path(), "its header has no 'ElementDataFile'");
}

bool is_true(const Fields& fields, std::initializer_list<std::string_view> names) {
    const std::string* value = find_field(fields, names);
    return value && !value->empty() && (value->front() == 'T' || value->front() == 't' || value->front() == '1');
}

ScalarType parse_type(const Fields& fields, const std::string& path) {
    static const std::map<std::string_view, ScalarType> types{
        {"met_char", ScalarType::i8},        {"met_uchar", ScalarType::u8},  {"met_short", ScalarType::i16},
        {"met_ushort", ScalarType::u16},     {"met_int", ScalarType::i32},   {"met_uint", ScalarType::u32},
        {"met_long", ScalarType::i32},       {"met_ulong", ScalarType::u32}, {"met_long_long", ScalarType::i64},
        {"met_ulong_long", ScalarType::u64}, {"met_float", ScalarType::f32}, {"met_double", ScalarType::f64}};
    const std::string* text = find_field(fields, {"elementtype"});
    const auto found = types.find(text ? lower_case(*text) : "");
    if (found == types.end()) throw Error(ErrorKind::unsupported_file, path, "voxels of type '" + (text ? *text : "") + "' are not read");
    return found->second;
}

std::vector<double> numbers_of(const Fields& fields, std::initializer_list<std::string_view> names, std::size_t count,
                               const std::string& path) {
    const std::string* text = find_field(fields, names);
    if (!text) return {};
    const auto numbers = parse_doubles(*text, path, *names.begin());
    if (numbers.size() != count)
        throw Error(
            ErrorKind::invalid_file, path,
            "'" + std::string(*names.begin()) + "' is of " + std::to_string(numbers.size()) + " numbers, not " + std::to_string(count));
    return numbers;
}

// One number per axis. Further numbers are not used, as in MetaIO: images of one slice can have the fields of a volume.
std::vector<double> numbers_per_axis(const Fields& fields, std::initializer_list<std::string_view> names, std::size_t dimensions,
                                     VolumeInfo& info) {
    const std::string* text = find_field(fields, names);
    const std::size_t stated = text ? parse_doubles(*text, info.path, *names.begin()).size() : 0;
    std::vector<double> numbers = numbers_of(fields, names, std::max(stated, dimensions), info.path);
    if (stated <= dimensions) return numbers;
    info.warnings.push_back("'" + std::string(*names.begin()) + "' has " + std::to_string(stated) + " numbers; the first " +
                            std::to_string(dimensions) + " are used");
    numbers.resize(dimensions);
    return numbers;
}

// Reads the geometry of the first two or three axes. A row of TransformMatrix is the direction of an axis. Without the size of the voxels,
// there are no positions.
Geometry place(const Fields& fields, std::size_t dimensions, VolumeInfo& info) {
    const auto matrix = numbers_of(fields, {"transformmatrix", "rotation", "orientation"}, dimensions * dimensions, info.path);
    const auto offset = numbers_per_axis(fields, {"offset", "position", "origin"}, dimensions, info);
    auto spacing = numbers_per_axis(fields, {"elementspacing"}, dimensions, info);
    if (spacing.empty()) spacing = numbers_per_axis(fields, {"elementsize"}, dimensions, info);
    Geometry geometry;
    const std::string* unit = find_field(fields, {"distanceunits"});
    const std::size_t spatial = std::min<std::size_t>(dimensions, 3);
    Vector3 step{1, 1, 1};
    if (spacing.empty()) return geometry;
    for (std::size_t i = 0; i < spatial; ++i) step[i] = spacing[i];
    geometry.spacing = step;
    geometry.unit = unit ? length_unit(*unit) : LengthUnit::mm;  // mm: as in ITK
    geometry.source = "ElementSpacing";
    if (matrix.empty() && offset.empty()) return geometry;
    Steps steps{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}};
    for (std::size_t axis = 0; axis < spatial; ++axis)
        for (std::size_t row = 0; row < spatial && !matrix.empty(); ++row) steps.columns[axis][row] = matrix[axis * dimensions + row];
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (double& value : steps.columns[axis]) value *= step[axis];
    for (std::size_t row = 0; row < spatial && !offset.empty(); ++row) steps.origin[row] = offset[row];
    geometry.affine = affine_from(steps, Anatomical::lps);
    return geometry;
}

std::size_t shape(VolumeInfo& info, const Fields& fields) {
    const std::string* count = find_field(fields, {"ndims"});
    const std::string* sizes_text = find_field(fields, {"dimsize"});
    if (!count || !sizes_text) throw Error(ErrorKind::invalid_file, info.path, "its header has no 'NDims' or no 'DimSize'");
    const std::int64_t dimensions = parse_integer(*count, info.path, "NDims");
    const auto sizes = parse_integers(*sizes_text, info.path, "DimSize");
    if (dimensions < 1 || std::size_t(dimensions) != sizes.size())
        throw Error(ErrorKind::invalid_file, info.path,
                    "NDims is " + std::to_string(dimensions) + ", DimSize is of " + std::to_string(sizes.size()));
    if (dimensions > 4)
        throw Error(ErrorKind::unsupported_file, info.path, "has " + std::to_string(dimensions) + " dimensions; up to 4 are read");
    info.extent = {sizes[0], dimensions > 1 ? sizes[1] : 1, dimensions > 2 ? sizes[2] : 1};
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.volumes = dimensions > 3 ? sizes[3] : 1;
    return std::size_t(dimensions);
}

void refuse_the_unusual(const Fields& fields, const std::string& path) {
    if (const std::string* channels = find_field(fields, {"elementnumberofchannels"}); channels && *channels != "1")
        throw Error(ErrorKind::several_values, path, "its voxels are vectors of " + *channels);
    if (const std::string* object = find_field(fields, {"objecttype"}); object && lower_case(*object) != "image")
        throw Error(ErrorKind::invalid_file, path, "is a MetaIO '" + *object + "', not an image");
}

Encoding encoding_of(const Fields& fields, const std::string& path) {
    const bool is_compressed = is_true(fields, {"compresseddata"});
    if (!find_field(fields, {"binarydata"}) || is_true(fields, {"binarydata"})) return is_compressed ? Encoding::deflate : Encoding::raw;
    if (is_compressed) throw Error(ErrorKind::unsupported_file, path, "voxels that are text and compressed are not read");
    return Encoding::numbers;
}

Scaling scaling_of(const Fields& fields, const std::string& path) {
    const auto slope = numbers_of(fields, {"elementtointensityfunctionslope"}, 1, path);
    const auto offset = numbers_of(fields, {"elementtointensityfunctionoffset"}, 1, path);
    return {slope.empty() || slope[0] == 0 ? 1 : slope[0], offset.empty() ? 0 : offset[0]};
}

bool is_local(const std::string& data_name) { return lower_case(data_name) == "local"; }

std::string data_path_of(const Header& header, const std::string& path, ExternalFiles external) {
    const std::string& name = *find_field(header.fields, {"elementdatafile"});
    return is_local(name) ? path : detached_path(path, name, external);
}

// Sets the data file, the offset of the voxels and their stored bytes.
void locate(StoredVolume& volume, const Header& header, ExternalFiles external) {
    const std::string& path = volume.info.path;
    const std::string& name = *find_field(header.fields, {"elementdatafile"});
    if (name.starts_with("LIST") || name.find('%') != name.npos)
        throw Error(ErrorKind::unsupported_file, path, "its voxels are spread over several files; store them in one");
    volume.data_path = data_path_of(header, path, external);
    volume.offset = is_local(name) ? header.end : 0;
    const InputFile data(volume.data_path);
    if (const std::string* size = find_field(header.fields, {"headersize"})) {
        const std::int64_t bytes = parse_integer(*size, path, "HeaderSize");
        if (bytes < -1 || (bytes == -1 && volume.encoding == Encoding::numbers))
            throw Error(ErrorKind::invalid_file, path, "HeaderSize " + std::to_string(bytes) + " is not allowed");
        if (bytes == -1 && volume.encoding == Encoding::raw) volume.offset = std::max(volume.offset, data.size() - total_bytes(volume));
        if (bytes > 0) volume.offset = bytes;
    }
    volume.stored = std::max<std::int64_t>(0, data.size() - volume.offset);
    const std::string* compressed = find_field(header.fields, {"compresseddatasize"});
    if (volume.encoding != Encoding::deflate || !compressed) return;
    const std::int64_t claimed = parse_integer(*compressed, path, "CompressedDataSize");
    if (claimed > volume.stored)
        throw Error(ErrorKind::truncated_file, volume.data_path,
                    "the header claims " + std::to_string(claimed) + " compressed bytes, there are " + std::to_string(volume.stored));
    if (claimed <= 0) return;
    if (claimed < volume.stored) volume.info.warnings.push_back(ignored_bytes(volume.stored - claimed, "the voxels"));
    volume.stored = claimed;
}

}  // namespace

std::string data_file_of_metaimage(const InputFile& file, ExternalFiles external) {
    return data_path_of(read_header(file), file.path(), external);
}

StoredVolume parse_metaimage(const std::string& path, ExternalFiles external) {
    const InputFile file(path);
    const Header header = read_header(file);
    StoredVolume volume;
    VolumeInfo& info = volume.info;
    info.path = path;
    info.format = "MetaImage";
    refuse_the_unusual(header.fields, path);
    info.type = parse_type(header.fields, path);
    info.stored_type = name_of(info.type);
    const std::size_t dimensions = shape(info, header.fields);
    info.geometry = place(header.fields, dimensions, info);
    info.scaling = scaling_of(header.fields, path);
    volume.encoding = encoding_of(header.fields, path);
    info.compression = volume.encoding == Encoding::deflate ? "zlib" : "none";
    const bool msb = is_true(header.fields, {"binarydatabyteordermsb", "elementbyteordermsb"});
    volume.byte_order = msb ? std::endian::big : std::endian::little;
    if (volume.encoding == Encoding::numbers) volume.byte_order = std::endian::native;
    locate(volume, header, external);
    check_length(volume);
    return volume;
}

}  // namespace voxcc::io
