// Legacy VTK files of structured points (.vtk): one array of their points or cells.
#include "io/contiguous_reader.h"
#include "io/formats/stored/stored_reader.h"
#include "io/formats/vtk/vtk.h"
#include "io/formats/vtk/vtk_header.h"
#include "io/formats/vtk/vtk_words.h"
#include "io/samples.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace voxcc::io {
namespace {

/// The path of an array as a dataset.
// array s of points -> "/s"; array s of cells -> "/CELL_DATA/s"
std::string path_of(const VtkArray& array) { return (array.place == VtkPlace::cells ? "/CELL_DATA/" : "/") + array.name; }

bool can_be_volume(const VtkArray& array) { return array.use == VtkUse::scalars && array.components == 1; }

std::string paths_of(const std::vector<VtkArray>& arrays) {
    std::string paths;
    for (const VtkArray& array : arrays)
        if (can_be_volume(array)) paths += (paths.empty() ? "" : ", ") + path_of(array);
    return paths;
}

/// Finds the array with a path, or with a name. Points come before cells.
const VtkArray& array_named(const VtkHeader& header, std::string name, const std::string& path) {
    if (!name.starts_with('/')) name.insert(name.begin(), '/');
    const std::vector<VtkArray>& arrays = header.arrays;
    const auto fitting = [&](const VtkArray& array) { return path_of(array) == name || "/POINT_DATA" + path_of(array) == name; };
    auto found = std::ranges::find_if(arrays, fitting);
    if (found == arrays.end()) found = std::ranges::find_if(arrays, [&](const VtkArray& array) { return "/" + array.name == name; });
    if (found == arrays.end())
        throw Error(ErrorKind::no_such_dataset, path, "does not contain the array " + in_quotes(std::string_view(name).substr(1)),
                    paths_of(arrays));
    const auto is_same = [&](const VtkArray& array) { return path_of(array) == path_of(*found); };
    if (std::ranges::count_if(arrays, is_same) > 1)
        throw Error(ErrorKind::unsupported_file, path,
                    "has several arrays named " + in_quotes(found->name) + "; give them different names");
    return *found;
}

[[noreturn]] void refuse_without_scalars(const VtkHeader& header, const std::string& path) {
    for (const VtkArray& array : header.arrays)
        if (array.components > 1)
            throw Error(ErrorKind::several_values, path,
                        "its voxels are vectors or colours (" + std::to_string(array.components) + " components)");
    throw Error(ErrorKind::invalid_file, path, "has no SCALARS");
}

/// The array that the options name; else the only array of scalars of points; if there is none, of cells. Null if several are possible.
const VtkArray* chosen(const VtkHeader& header, const OpenOptions& options, const std::string& path) {
    if (!options.dataset.empty()) return &array_named(header, options.dataset, path);
    for (const VtkPlace place : {VtkPlace::points, VtkPlace::cells}) {
        const auto fits = [place](const VtkArray& array) { return array.place == place && can_be_volume(array); };
        const auto count = std::ranges::count_if(header.arrays, fits);
        if (count > 1) return nullptr;
        if (count == 1) return &*std::ranges::find_if(header.arrays, fits);
    }
    refuse_without_scalars(header, path);
}

std::string type_name(const VtkArray& array) {
    return array.type.values == VtkValues::bits ? "bit" : std::string(name_of(array.type.type));
}

/// The arrays of one component, which can be read.
std::vector<Dataset> datasets_of(const VtkHeader& header) {
    std::vector<Dataset> datasets;
    for (const VtkArray& array : header.arrays) {
        const Extent extent = vtk_extent(header.points, array.place);
        if (array.components == 1) datasets.push_back({path_of(array), type_name(array), {extent.nz, extent.ny, extent.nx}});
    }
    return datasets;
}

/// Lengths are in mm by convention. The axes are the ones of ITK and 3D Slicer: left, posterior, superior. Cells lie half a step from the
/// points.
Geometry geometry_of(const VtkHeader& header, VtkPlace place) {
    if (!header.spacing) return {};
    Geometry geometry{.spacing = *header.spacing, .unit = LengthUnit::mm, .source = "SPACING"};
    for (double& step : *geometry.spacing) step = std::abs(step);
    if (!header.origin) return geometry;
    const Vector3& step = *header.spacing;
    Steps steps{{{{step[0], 0, 0}, {0, step[1], 0}, {0, 0, step[2]}}}, *header.origin};
    const std::array<std::int64_t, 3> points{header.points.nx, header.points.ny, header.points.nz};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (place == VtkPlace::cells && points[axis] > 1) steps.origin[axis] += step[axis] / 2;
    geometry.affine = affine_from(steps, Anatomical::lps);
    return geometry;
}

VolumeInfo describe(const VtkHeader& header, const VtkArray& array, const std::string& path) {
    if (array.components != 1)
        throw Error(ErrorKind::several_values, path,
                    "the voxels of " + in_quotes(array.name) + " have " + std::to_string(array.components) + " components");
    VolumeInfo info;
    info.path = path;
    info.format = "VTK";
    info.compression = "none";
    info.extent = vtk_extent(header.points, array.place);
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.type = array.type.type;
    info.stored_type = type_name(array);
    info.geometry = geometry_of(header, array.place);
    info.warnings = header.warnings;
    info.dataset = path_of(array);
    info.datasets = datasets_of(header);
    return info;
}

/// Bits, the highest bit of a byte first. Rows follow each other without padding.
class BitReader final : public VolumeReader {
public:
    BitReader(VolumeInfo info, std::int64_t offset) : file_(info.path), offset_(offset) { info_ = std::move(info); }
    void read_rows(RowRange rows, std::byte* to) override {
        constexpr std::int64_t bits = 8;
        const std::int64_t first = rows.first * info_.extent.nx, end = rows.end() * info_.extent.nx;
        std::vector<std::byte> bytes(std::size_t((end + bits - 1) / bits - first / bits));
        file_.read(offset_ + first / bits, bytes);
        unpack_samples(bytes, 1, {.first = first % bits, .step = 1, .count = end - first}, to);
    }
    bool reads_anywhere() const override { return true; }
    void rewind() override {}

private:
    InputFile file_;
    std::int64_t offset_;
};

/// Texts of colours: fractions from 0 to 1, of which VTK makes the bytes 0 to 255.
class FractionReader final : public VolumeReader {
public:
    FractionReader(VolumeInfo info, std::unique_ptr<VolumeReader> fractions) : fractions_(std::move(fractions)) { info_ = std::move(info); }
    void read_rows(RowRange rows, std::byte* to) override {
        std::vector<float> values(std::size_t(rows.count * info_.extent.nx));
        fractions_->read_rows(rows, reinterpret_cast<std::byte*>(values.data()));
        for (const float value : values) {
            if (!(value >= 0 && value <= 1))
                throw Error(ErrorKind::invalid_file, info_.path,
                            "has the value " + std::to_string(value) + " in COLOR_SCALARS; 0 to 1 are valid");
            *to++ = std::byte(std::lround(value * 255));
        }
    }
    void rewind() override { fractions_->rewind(); }

private:
    std::unique_ptr<VolumeReader> fractions_;
};

std::unique_ptr<VolumeReader> open_text(VolumeInfo info, const VtkArray& array) {
    StoredVolume volume{.info = info, .data_path = info.path, .offset = array.offset, .stored = array.end - array.offset};
    volume.encoding = Encoding::numbers;
    if (array.type.values != VtkValues::fractions) return open_stored(std::move(volume), {});
    volume.info.type = ScalarType::f32;
    return std::make_unique<FractionReader>(std::move(info), open_stored(std::move(volume), {}));
}

VtkHeader read_header(const std::string& path) {
    const InputFile file(path);
    std::array<std::byte, 32> start{};
    if (!has_vtk_magic(std::span(start).first(file.read_some(0, start))))
        throw Error(ErrorKind::unsupported_file, path, "is a compressed VTK file; unpack it, for example with gunzip -k");
    return read_vtk_header(file);
}

}  // namespace

std::unique_ptr<VolumeReader> open_vtk(const std::string& path, const OpenOptions& options) {
    const VtkHeader header = read_header(path);
    const VtkArray* const array = chosen(header, options, path);
    if (!array) throw Error(ErrorKind::several_datasets, path, "holds several arrays that could be the volume", paths_of(header.arrays));
    VolumeInfo info = describe(header, *array, path);
    chosen_volume(info, options);
    if (header.encoding == VtkEncoding::text) return open_text(std::move(info), *array);
    if (array->type.values == VtkValues::bits) return std::make_unique<BitReader>(std::move(info), array->offset);
    ContiguousVoxels voxels{.offset = array->offset,
                            .bytes = array->end - array->offset,
                            .bytes_per_voxel = size_of(info.type),
                            .byte_order = std::endian::big,
                            .end = ContiguousVoxels::End::trailer};
    return open_contiguous(std::move(info), std::make_unique<DecodedFile>(path), std::move(voxels), {});
}

VolumeInfo describe_vtk(const std::string& path, const OpenOptions& options) {
    const VtkHeader header = read_header(path);
    if (const VtkArray* const array = chosen(header, options, path)) return describe(header, *array, path);
    VolumeInfo info;
    info.path = path;
    info.format = "VTK";
    info.datasets = datasets_of(header);
    return info;
}

}  // namespace voxcc::io
