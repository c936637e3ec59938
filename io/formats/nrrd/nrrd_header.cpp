#include "io/formats/nrrd/nrrd_header.h"

#include "io/formats/nrrd/nrrd_axes.h"
#include "io/formats/nrrd/nrrd_text.h"
#include "io/formats/slices/slice_names.h"
#include "io/formats/slices/slices.h"
#include "io/orientation.h"

#include <algorithm>
#include <limits>

namespace voxcc::io {
namespace {

ScalarType parse_type(std::string_view text, const std::string& path) {
    using enum ScalarType;
    // clang-format off
    static const std::map<std::string_view, ScalarType> types{
        {"char", i8}, {"signed char", i8}, {"int8", i8}, {"int8_t", i8},
        {"uchar", u8}, {"unsigned char", u8}, {"uint8", u8}, {"uint8_t", u8},
        {"short", i16}, {"short int", i16}, {"signed short", i16}, {"signed short int", i16}, {"int16", i16}, {"int16_t", i16},
        {"ushort", u16}, {"unsigned short", u16}, {"unsigned short int", u16}, {"uint16", u16}, {"uint16_t", u16},
        {"int", i32}, {"signed int", i32}, {"int32", i32}, {"int32_t", i32},
        {"uint", u32}, {"unsigned int", u32}, {"uint32", u32}, {"uint32_t", u32},
        {"longlong", i64}, {"long long", i64}, {"long long int", i64}, {"signed long long", i64}, {"signed long long int", i64},
        {"int64", i64}, {"int64_t", i64},
        {"ulonglong", u64}, {"unsigned long long", u64}, {"unsigned long long int", u64}, {"uint64", u64}, {"uint64_t", u64},
        {"float", f32},
        {"double", f64}};
    // clang-format on
    const auto found = types.find(text);
    if (found == types.end()) throw Error(ErrorKind::unsupported_file, path, "voxels of type '" + std::string(text) + "' are not read");
    return found->second;
}

// The units of axes. Without any text they are mm, as in other programs. Nothing, with a note, if the axes are not comparable.
std::optional<AxisUnits> axis_units(const std::vector<std::string>& texts, Geometry& geometry) {
    if (std::ranges::all_of(texts, [](const std::string& text) { return trim(text).empty(); }))
        return AxisUnits{std::vector<std::optional<LengthUnit>>(std::max<std::size_t>(texts.size(), 1), LengthUnit::mm)};
    AxisUnits units = units_of_axes(texts);
    if (units.are_comparable) return units;
    geometry.notes.push_back(note_on_units("the NRRD header", texts));
    return std::nullopt;
}

// The geometry from the steps of the axes. The units belong to the axes of the space.
Geometry from_directions(const Fields& fields, const std::vector<NrrdAxis>& axes, const std::string& path) {
    Geometry geometry;
    Steps steps{{*axes[0].step, *axes[1].step, axes.size() > 2 ? *axes[2].step : plane_normal(*axes[0].step, *axes[1].step)}, {}};
    if (const std::string* origin = find_field(fields, {"space origin"})) steps.origin = parse_vector(*origin, path, "space origin");
    const std::string* texts = find_field(fields, {"space units"});
    const auto units = axis_units(texts ? quoted_texts(*texts) : std::vector<std::string>{}, geometry);
    if (!units) return geometry;
    const std::string* named = find_field(fields, {"space"});
    const std::string space = named ? lower_case(*named) : "";
    Vector3 to_lps{1, 1, 1};  // also for scanner and other unnamed spaces, as in ITK
    if (space.starts_with("right-anterior-superior") || space.starts_with("ras")) to_lps = {-1, -1, 1};
    if (space.starts_with("left-anterior-superior") || space.starts_with("las")) to_lps = {1, -1, 1};
    for (std::size_t row = 0; row < 3; ++row) {
        const std::size_t axis = std::min(row, units->axes.size() - 1);
        for (Vector3& column : steps.columns) column[row] = units->in_common_unit(column[row] * to_lps[row], axis);
        steps.origin[row] = units->in_common_unit(steps.origin[row] * to_lps[row], axis);
    }
    geometry.affine = affine_from(steps, Anatomical::lps);
    geometry.spacing = spacing_of(*geometry.affine);
    geometry.unit = units->common();
    geometry.source = "the space directions";
    return geometry;
}

// The geometry from one spacing per axis. Axes of one voxel may have none.
Geometry from_spacings(const std::vector<NrrdAxis>& axes) {
    Geometry geometry;
    const auto has_spacing = [](const NrrdAxis& axis) { return axis.spacing.has_value(); };
    if (std::ranges::none_of(axes, has_spacing)) return geometry;
    if (!std::ranges::all_of(axes, [&](const NrrdAxis& axis) { return has_spacing(axis) || axis.size == 1; }))
        geometry.notes.emplace_back("does not state the spacing of each axis");
    std::vector<std::string> texts;
    for (const NrrdAxis& axis : axes) texts.push_back(axis.spacing ? axis.unit : std::ranges::find_if(axes, has_spacing)->unit);
    const auto units = axis_units(texts, geometry);
    if (!units) return geometry;
    geometry.spacing = {1, 1, 1};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].spacing) (*geometry.spacing)[i] = units->in_common_unit(*axes[i].spacing, i);
        else if (axes[i].size > 1) (*geometry.spacing)[i] = std::numeric_limits<double>::quiet_NaN();
    }
    geometry.unit = units->common();
    geometry.source = "the spacings";
    return geometry;
}

Geometry geometry_of(const Fields& fields, const std::vector<NrrdAxis>& axes, const std::string& path) {
    const bool has_steps = axes.size() >= 2 && std::ranges::all_of(axes, [](const NrrdAxis& axis) { return axis.step.has_value(); });
    return has_steps ? from_directions(fields, axes, path) : from_spacings(axes);
}

std::int64_t after_lines(const InputFile& file, std::int64_t offset, std::int64_t lines) {
    std::array<char, 4096> piece{};
    for (;;) {
        const std::size_t got = file.read_some(offset, std::as_writable_bytes(std::span(piece)));
        if (got == 0) throw Error(ErrorKind::invalid_file, file.path(), "has fewer lines than 'line skip' states");
        for (std::size_t i = 0; i < got; ++i, ++offset)
            if (piece[i] == '\n' && --lines == 0) return offset + 1;
    }
}

// Sets the data file, the offset after skipped lines and bytes, and the stored bytes.
void locate(StoredVolume& volume, const NrrdText& header, const std::string& data_name, ExternalFiles external) {
    const std::string& path = volume.info.path;
    const std::string* lines = find_field(header.fields, {"line skip", "lineskip"});
    const std::string* bytes = find_field(header.fields, {"byte skip", "byteskip"});
    const std::int64_t line_skip = lines ? parse_integer(*lines, path, "line skip") : 0;
    const std::int64_t byte_skip = bytes ? parse_integer(*bytes, path, "byte skip") : 0;
    if (line_skip < 0) throw Error(ErrorKind::invalid_file, path, "line skip " + std::to_string(line_skip) + " is not allowed");
    if (byte_skip < -1 || (byte_skip == -1 && is_text(volume.encoding)))
        throw Error(ErrorKind::invalid_file, path, "byte skip " + std::to_string(byte_skip) + " is not allowed");
    volume.data_path = data_name.empty() ? path : detached_path(path, data_name, external);
    volume.offset = data_name.empty() ? header.end : 0;
    const InputFile data(volume.data_path, data_name.empty() ? Pipes::read : Pipes::refuse);
    if (byte_skip == -1 && volume.encoding == Encoding::raw && data.is_pipe())
        throw Error(ErrorKind::unsupported_file, path, "byte skip -1 counts from the end, and a pipe has no known end; write a file first");
    if (line_skip > 0) volume.offset = after_lines(data, volume.offset, line_skip);
    if (byte_skip == -1 && volume.encoding == Encoding::raw) {  // the voxels end with the file
        volume.offset = std::max(volume.offset, data.size() - total_bytes(volume));
    } else if (volume.encoding == Encoding::raw || is_text(volume.encoding)) {
        volume.offset = byte_skip > data.size() ? data.size() : volume.offset + byte_skip;
    } else {
        volume.lead = std::max<std::int64_t>(0, byte_skip);  // decompressed bytes; -1: more bytes than voxels are an error
    }
    volume.stored = std::max<std::int64_t>(0, data.size() - volume.offset);
    volume.source = data.is_pipe() ? Pipes::read : Pipes::refuse;
}

/// The names of several data files: from a list, or from a template with the first and last number and the step.
// "LIST 2" and its lines; "s%03d.raw 1 5 2"  ->  s001.raw s003.raw s005.raw
struct DataFiles {
    std::vector<std::string> names;
    std::size_t dimension = 0;  // of the array in each file
};

DataFiles several_data_files(const NrrdText& header, std::size_t dimensions, std::int64_t most, const std::string& path) {
    const std::string& field = data_file_of(header.fields);
    const std::size_t blank = std::min(field.find(' '), field.size());
    const std::string first = field.substr(0, blank);
    const auto numbers = blank < field.size() ? parse_integers(field.substr(blank), path, "data file") : std::vector<std::int64_t>{};
    const bool is_list = field.starts_with("LIST");
    const std::size_t needed = is_list ? 0 : 3;
    const auto wrong = [&] { return Error(ErrorKind::invalid_file, path, "'data file: " + field + "' is not a list or a template"); };
    if (numbers.size() != needed && numbers.size() != needed + 1) throw wrong();
    const std::int64_t dimension = numbers.size() > needed ? numbers.back() : std::int64_t(dimensions) - 1;
    if (dimension < 1 || dimension > std::int64_t(dimensions)) throw wrong();
    DataFiles files{header.listed, std::size_t(dimension)};
    if (is_list) return files;
    const std::int64_t from = numbers[0], to = numbers[1], step = numbers[2];
    if (!is_slice_template(first) || from < 0 || to < 0 || step == 0 || (to - from) / step < 0) throw wrong();
    if ((to - from) / step >= most) throw Error(ErrorKind::wrong_size, path, "names more data files than the volume has rows");
    const SliceTemplate pattern = parse_slice_template(first);
    for (std::int64_t i = 0; i <= (to - from) / step; ++i) files.names.push_back(pattern.name(from + i * step));
    return files;
}

// Sets the pieces of a volume whose voxels are in several files.
void locate_pieces(StoredVolume& volume, const NrrdText& header, ExternalFiles external) {
    VolumeInfo& info = volume.info;
    total_bytes(volume);  // checks the extent
    const std::int64_t rows = info.volumes * info.extent.rows();
    const auto sizes = parse_integers(required_field(header.fields, "sizes", info.path), info.path, "sizes");
    const DataFiles files = several_data_files(header, sizes.size(), rows, info.path);
    const auto count = std::int64_t(files.names.size());
    std::int64_t expected = 1;
    for (std::size_t i = files.dimension; i < sizes.size(); ++i) expected *= sizes[i];
    const bool fits = files.dimension == sizes.size() ? count > 0 && sizes.back() % count == 0 : count == expected;
    if (!fits || rows % count != 0)
        throw Error(ErrorKind::wrong_size, info.path, "names " + std::to_string(count) + " data files, which do not fit its sizes");
    std::int64_t with_warnings = 0;
    std::string warning;           // the first
    StoredVolume common = volume;  // without pieces, which the volume gets one by one
    common.info.extent = {info.extent.nx, rows / count, 1};
    common.info.volumes = 1;
    common.info.warnings.clear();
    volume.pieces.reserve(files.names.size());
    for (const std::string& name : files.names) {
        StoredVolume piece = common;
        locate(piece, header, name, external);
        piece.info.path = piece.data_path;
        check_length(piece);
        if (!piece.info.warnings.empty() && ++with_warnings == 1) warning = piece.data_path + ": " + piece.info.warnings.front();
        volume.pieces.push_back(std::move(piece));
    }
    std::vector<std::string> names = files.names;
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
        info.warnings.push_back("names the data file " + *twice + " more than once");
    if (with_warnings > 1) warning += " (" + std::to_string(with_warnings) + " data files have such warnings)";
    if (with_warnings > 0) info.warnings.push_back(warning);
}

// How the voxels are stored; nothing for an encoding that is not read.
std::optional<Encoding> encoding_named(std::string_view name) {
    static const std::map<std::string_view, Encoding> encodings{
        {"raw", Encoding::raw},      {"gzip", Encoding::deflate}, {"gz", Encoding::deflate},
        {"bzip2", Encoding::bzip2},  {"bz2", Encoding::bzip2},    {"ascii", Encoding::numbers},
        {"text", Encoding::numbers}, {"txt", Encoding::numbers},  {"hex", Encoding::hex}};
    const auto found = encodings.find(name);
    return found == encodings.end() ? std::nullopt : std::optional(found->second);
}

const char* compression_of(Encoding encoding) {
    if (encoding == Encoding::bzip2) return "bzip2";
    return encoding == Encoding::deflate ? "gzip" : "none";
}

}  // namespace

std::vector<std::string> data_files_of_nrrd(const InputFile& file, ExternalFiles external) {
    const NrrdText header = read_nrrd_text(file);
    const std::string& path = file.path();
    const std::string name = data_file_of(header.fields), pattern = name.substr(0, name.find(' '));
    if (name.empty()) return {path};
    std::vector<std::string> files;
    for (const std::string& listed : header.listed) files.push_back(detached_path(path, listed, external));
    if (name.starts_with("LIST")) return files;
    if (!is_slice_template(pattern)) return {detached_path(path, name, external)};
    for (const NumberedFile& numbered : files_of_template(detached_path(path, pattern, external))) files.push_back(numbered.path);
    return files;
}

StoredVolume parse_nrrd(const std::string& path, ExternalFiles external) {
    const InputFile file(path, Pipes::read);
    const NrrdText header = read_nrrd_text(file);
    StoredVolume volume;
    VolumeInfo& info = volume.info;
    info.path = path;
    info.format = "NRRD";
    info.type = parse_type(lower_case(required_field(header.fields, "type", path)), path);
    info.stored_type = name_of(info.type);
    const NrrdShape shape = shape_of_nrrd(header.fields, path);
    const auto size = [&](std::size_t axis) { return axis < shape.space.size() ? shape.space[axis].size : 1; };
    info.extent = {size(0), size(1), size(2)};
    info.volumes = shape.volumes;
    info.volume_axes = info.page_axes = shape.volume_axes;
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    volume.interleaving = shape.interleaving;
    info.geometry = geometry_of(header.fields, shape.space, path);
    const std::string encoding = lower_case(required_field(header.fields, "encoding", path));
    const auto known = encoding_named(encoding);
    if (!known) throw Error(ErrorKind::unsupported_file, path, "encoding '" + encoding + "' is not read");
    volume.encoding = *known;
    info.compression = compression_of(volume.encoding);
    if (volume.encoding == Encoding::numbers) {
        volume.byte_order = std::endian::native;
    } else if (const std::string* endian = find_field(header.fields, {"endian"})) {
        const std::string order = lower_case(*endian);
        if (order != "little" && order != "big")
            throw Error(ErrorKind::invalid_file, path, "endian '" + order + "' is neither little nor big");
        volume.byte_order = order == "big" ? std::endian::big : std::endian::little;
    } else if (size_of(info.type) > 1) {
        throw Error(ErrorKind::invalid_file, path, "its header has no 'endian'");
    }
    const std::string data_name = data_file_of(header.fields);
    if (!data_name.empty() && file.is_pipe())
        throw Error(ErrorKind::unsupported_file, path, "comes from a pipe and names a data file; give the name of the header instead");
    const bool several = data_name.starts_with("LIST") || data_name.find('%') != data_name.npos;
    if (several && external == ExternalFiles::refuse)
        throw Error(ErrorKind::external_file, path, "its voxels are spread over several files");
    if (several && volume.interleaving)
        throw Error(ErrorKind::unsupported_file, path, "several data files are read only if the axis that counts volumes is the last one");
    if (several) {
        locate_pieces(volume, header, external);
        return volume;
    }
    locate(volume, header, data_name, external);
    check_length(volume);
    return volume;
}

}  // namespace voxcc::io
