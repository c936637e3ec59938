// Choice of the format of a label volume, by name.
#include "io/checked_file.h"
#include "io/formats.h"
#include "io/optional_libraries.h"
#include "io/zarr/output_path.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace voxcc::io {
namespace {

using enum ScalarType;
enum class Volumes : std::uint8_t { one, several };  // that a file can hold

struct Format {
    std::unique_ptr<LabelWriter> (*create)(const LabelVolume&, OutputFiles&);
    std::int64_t (*rows_per_block)(const LabelVolume&);
    std::vector<ScalarType> types;       // chosen by smallest_label_type(), smallest first
    std::vector<ScalarType> more_types;  // accepted with an explicit --dtype
    Volumes volumes = Volumes::one;
};

Format format_of(const std::string& path) {
    const std::vector<ScalarType> unsigned_types{u8, u16, u32, u64};
    // The types of Analyze, which every NIfTI reader supports. 64-bit integers are excluded: many programs convert them to double.
    const std::vector<ScalarType> tiff_types = is_ome_name(path) ? std::vector{u8, u16, u32} : unsigned_types;
    if (is_zarr_output(path)) return {create_zarr, zarr_rows_per_block, unsigned_types, {i16, i32}, Volumes::several};
    const Format nifti{create_nifti, plain_rows_per_block, {u8, i16, i32}, {u16, u32}, Volumes::several};
    if (is_stdout(path) && !has_extension(path, {".nrrd"})) return nifti;
    if (path.ends_with('/') || is_slice_template(path)) return {create_slices, tiff_rows_per_block, tiff_types, {}};
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(ErrorKind::cannot_create, path, "is a folder; name a file in the folder, or add '/' to write numbered slices");
    if (has_extension(path, {".nii", ".nii.gz"})) return nifti;
    if (has_extension(path, {".tif", ".tiff"})) return {create_tiff, tiff_rows_per_block, tiff_types, {}, Volumes::several};
    if (has_extension(path, {".h5", ".hdf5"})) return {create_hdf5, hdf5_rows_per_block, hdf5_label_types(path), {}, Volumes::several};
    if (has_extension(path, {".nrrd"})) return {create_nrrd, plain_rows_per_block, unsigned_types, {}, Volumes::several};
    if (has_extension(path, {".mha", ".mhd"})) return {create_metaimage, plain_rows_per_block, unsigned_types, {}, Volumes::several};
    if (has_extension(path, {".mgh", ".mgz", ".mgh.gz"}))
        return {create_mgh, plain_rows_per_block, {u8, i16, i32}, {u16}, Volumes::several};
    if (has_extension(path, {".npz"})) return {create_npz, plain_rows_per_block, unsigned_types, {}, Volumes::several};
    if (has_extension(path, {".npy"})) return {create_npy, plain_rows_per_block, unsigned_types, {}, Volumes::several};
    throw Error(ErrorKind::unknown_format, path, "the extension is not a format that voxcc writes",
                std::string(".nii .nii.gz ") + (has_hdf5() ? ".h5 .hdf5 " : "") + ".tif .tiff .nrrd .mha .mhd .npy .npz .mgh .mgz" +
                    (has_zarr() ? " .zarr" : "") + ", a folder with '/' at its end, or a template such as s%04d.tif");
}

std::uint64_t largest_label(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) { return std::uint64_t(std::numeric_limits<T>::max()); });
}

bool is_in(const std::vector<ScalarType>& types, ScalarType type) { return std::find(types.begin(), types.end(), type) != types.end(); }

/// Whether a volume of labels, sizes or a mask may have the type.
bool accepts(const Format& format, ScalarType type) { return is_in(format.types, type) || is_in(format.more_types, type); }

}  // namespace

void LabelWriter::write_plain(std::int64_t /*block*/, std::span<const std::byte> /*raw*/) {
    throw Error(ErrorKind::internal, "label volume", "this format does not store plain blocks");
}

std::vector<ScalarType> label_types(const std::string& path) { return format_of(path).types; }

ScalarType smallest_label_type(const std::string& path, std::uint64_t count) {
    const std::vector<ScalarType> types = label_types(path);
    for (const ScalarType type : types)
        if (count <= largest_label(type)) return type;
    throw Error(
        ErrorKind::labels_too_large, path,
        std::to_string(count) + " labels are more than this format can number (" + std::to_string(largest_label(types.back())) + ")",
        ".h5, .nrrd or .tif");
}

ScalarType smallest_size_type(const std::string& path, std::uint64_t largest) {
    const Format format = format_of(path);
    std::uint64_t most = 0;
    for (const ScalarType type : {u8, u16, u32, u64}) {
        if (!accepts(format, type)) continue;
        most = largest_label(type);
        if (largest <= most) return type;
    }
    throw Error(
        ErrorKind::labels_too_large, path,
        "a component of " + std::to_string(largest) + " voxels is larger than the numbers of this format (" + std::to_string(most) + ")",
        ".h5, .nrrd or .tif");
}

bool stores_scaling(const std::string& path, const Scaling& scaling) {
    if (scaling.is_identity()) return true;
    if (has_extension(path, {".mha", ".mhd"})) return true;
    const auto is_float = [](double number) { return double(float(number)) == number; };  // NIfTI-1 has float32
    const bool is_nifti = is_stdout(path) ? !has_extension(path, {".nrrd"}) : has_extension(path, {".nii", ".nii.gz"});
    return is_nifti && is_float(scaling.slope) && is_float(scaling.intercept);
}

bool stores_values(const std::string& path, ScalarType type) {
    const Format format = format_of(path);
    if (format.create == create_mgh) return type == f32 || accepts(format, type);
    return !is_ome_name(path) || (type != i64 && type != u64);
}

bool stores_colours(const std::string& path) {
    const Format format = format_of(path);
    return format.create == create_tiff || format.create == create_slices;
}

std::vector<std::string> files_of_label_volume(const std::string& path, int compress, Content content) {
    const Format format = format_of(path);
    if (format.create == create_slices) return existing_label_slices(path, content);
    if (format.create == create_zarr) return {folder_path(path)};
    std::vector<std::string> files{path};
    if (format.create == create_metaimage) files.push_back(metaimage_data_path(path, compress));
    return files;
}

void check_label_output(const std::string& path, int compress, const OutputFiles& outputs, Content content) {
    if (is_zarr_output(path)) return check_zarr_output(path, outputs);
    for (const std::string& file : files_of_label_volume(path, compress, content)) outputs.check(file);
    if (is_stdout(path)) return;
    check_folder(folder_for(path));  // needed for slices: the list of existing files can be empty
    if (format_of(path).create == create_slices) check_slice_folder(path);
}

void check_label_files(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content) {
    if (format_of(path).create == create_slices) check_label_slices(path, extent.nz, outputs, content);
}

std::int64_t label_block_bytes(const LabelVolume& volume) {
    const std::int64_t rows = std::min(format_of(volume.path).rows_per_block(volume), volume.like->extent.rows());
    return rows * volume.like->extent.nx * size_of(volume.type);
}

bool holds_several_volumes(const std::string& path) { return format_of(path).volumes == Volumes::several; }

std::unique_ptr<LabelWriter> create_label_volume(const LabelVolume& volume, OutputFiles& outputs) {
    const Format format = format_of(volume.path);
    if (volume.volumes > 1 && format.volumes == Volumes::one)
        throw Error(ErrorKind::internal, volume.path, "this format cannot hold several volumes");
    std::int64_t bytes = checked_bytes(volume.like->extent, size_of(volume.type), volume.path);
    if (__builtin_mul_overflow(bytes, volume.volumes, &bytes))
        throw Error(ErrorKind::cannot_create, volume.path, "would have more than 2^63 bytes");
    if (volume.content != Content::values && !accepts(format, volume.type))
        throw Error(ErrorKind::unsupported_label_type, volume.path,
                    "this format cannot hold labels of type " + std::string(name_of(volume.type)));
    return format.create(volume, outputs);
}

}  // namespace voxcc::io
