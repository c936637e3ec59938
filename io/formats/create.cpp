// Choice of the format of a label volume, by name.
#include "io/files/checked_file.h"
#include "io/format.h"
#include "io/format_names.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace voxcc::io {
namespace {

using enum ScalarType;

/// The row whose outputs have an extension of the name; null if there is none.
const Writing* writing_of_name(const std::string& path) {
    for (const Format& format : formats())
        if (format.write && std::ranges::any_of(format.write->extensions, [&](std::string_view e) { return has_extension(path, {e}); }))
            return &*format.write;
    return nullptr;
}

/// @throw Error unknown_format if no row writes the name, or if this build does not write the format; cannot_create for a folder
const Writing& writing_of(const std::string& path) {
    for (const Format& format : formats())
        if (format.write && format.write->takes && format.write->takes(path)) return *format.write;
    // stdout is NIfTI unless its name says NRRD: "-", "-.nii.gz", "-.nrrd".
    if (is_stdout(path)) return *writing_of_name(has_extension(path, {".nrrd"}) ? path : "stdout.nii");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw Error(ErrorKind::cannot_create, path, "is a folder; name a file in the folder, or add '/' to write numbered slices");
    if (const Writing* named = writing_of_name(path)) {
        (void)named->types(path);  // throws the error of a format that this build does not write
        return *named;
    }
    throw Error(ErrorKind::unknown_format, path, "the extension is not a format that voxcc writes",
                joined(writable_extensions()) + ", a folder with '/' at its end, or a template such as s%04d.tif");
}

std::uint64_t largest_label(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) { return std::uint64_t(std::numeric_limits<T>::max()); });
}

bool is_in(const std::vector<ScalarType>& types, ScalarType type) { return std::find(types.begin(), types.end(), type) != types.end(); }

/// Whether a volume of labels, sizes or a mask may have the type.
bool accepts(const Writing& write, const std::string& path, ScalarType type) {
    return is_in(write.types(path), type) || is_in(write.more_types, type);
}

}  // namespace

void LabelWriter::write_plain(std::int64_t /*block*/, std::span<const std::byte> /*raw*/) {
    throw Error(ErrorKind::internal, "label volume", "this format does not store plain blocks");
}

std::vector<ScalarType> label_types(const std::string& path) { return writing_of(path).types(path); }

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
    const Writing& write = writing_of(path);
    std::uint64_t most = 0;
    for (const ScalarType type : {u8, u16, u32, u64}) {
        if (!accepts(write, path, type)) continue;
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
    const Writing& write = writing_of(path);
    return write.stores_scaling && write.stores_scaling(scaling);
}

bool stores_values(const std::string& path, ScalarType type) {
    const Writing& write = writing_of(path);
    return !write.stores_values || write.stores_values(path, type);
}

bool stores_colours(const std::string& path) { return writing_of(path).colours == ColourTables::stored; }

std::vector<std::string> files_of_label_volume(const std::string& path, int compress, Content content) {
    const Writing& write = writing_of(path);
    return write.files ? write.files(path, compress, content) : std::vector{path};
}

void check_label_output(const std::string& path, int compress, const OutputFiles& outputs, Content content) {
    const Writing& write = writing_of(path);
    if (write.check) return write.check(path, compress, outputs, content);
    for (const std::string& file : files_of_label_volume(path, compress, content)) outputs.check(file);
    if (!is_stdout(path)) check_folder(folder_for(path));
}

void check_label_files(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content) {
    const Writing& write = writing_of(path);
    if (write.check_extent) write.check_extent(path, extent, outputs, content);
}

std::int64_t label_block_bytes(const LabelVolume& volume) {
    const std::int64_t rows = std::min(writing_of(volume.path).rows_per_block(volume), volume.like->extent.rows());
    return rows * volume.like->extent.nx * size_of(volume.type);
}

bool holds_several_volumes(const std::string& path) { return writing_of(path).volumes == VolumesOfOutput::several; }

std::unique_ptr<LabelWriter> create_label_volume(const LabelVolume& volume, OutputFiles& outputs) {
    const Writing& write = writing_of(volume.path);
    if (volume.volumes > 1 && write.volumes == VolumesOfOutput::one)
        throw Error(ErrorKind::internal, volume.path, "this format cannot hold several volumes");
    std::int64_t bytes = checked_bytes(volume.like->extent, size_of(volume.type), volume.path);
    if (__builtin_mul_overflow(bytes, volume.volumes, &bytes))
        throw Error(ErrorKind::cannot_create, volume.path, "would have more than 2^63 bytes");
    if (volume.content != Content::values && !accepts(write, volume.path, volume.type))
        throw Error(ErrorKind::unsupported_label_type, volume.path,
                    "this format cannot hold labels of type " + std::string(name_of(volume.type)));
    return write.create(volume, outputs);
}

}  // namespace voxcc::io
