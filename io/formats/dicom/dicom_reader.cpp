// Reader of DICOM files and of folders with one DICOM series. Compressed frames are decoded with GDCM in a child process, except RLE.
#include "io/formats/dicom/dicom.h"
#include "io/formats/dicom/dicom_folder.h"
#include "io/formats/dicom/dicom_pixels.h"
#include "io/formats/itk/itk.h"
#include "io/process/isolated_reader.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace voxcc::io {
namespace {

using Codec = DicomSyntax::Codec;

/// What is known of a file or folder before voxels are read.
struct Source {
    std::string path;
    std::vector<DicomObject> objects;
    std::vector<DicomFrameOf> frames;
    DicomVolumes volumes;
    ScalarType type = ScalarType::u8;
    std::vector<std::string> warnings;
    Source() = default;
    Source(const Source&) = delete;  // `frames` refers to `objects`
    Source& operator=(const Source&) = delete;

    bool has_codec(std::initializer_list<Codec> codecs) const {
        return std::ranges::any_of(
            objects, [&](const DicomObject& object) { return std::ranges::find(codecs, object.syntax->codec) != codecs.end(); });
    }
};

std::vector<DicomObject> objects_of(const std::string& path, std::vector<std::string>& warnings) {
    if (std::filesystem::is_directory(path)) {
        DicomFolder folder = read_dicom_folder(path);
        warnings = std::move(folder.warnings);
        return std::move(folder.objects);
    }
    auto object = read_dicom(path);
    if (const auto* other = std::get_if<DicomWithoutPixels>(&object))
        throw Error(ErrorKind::unsupported_file, path, "holds no pixels: " + other->kind + "; give the file of an image");
    std::vector<DicomObject> objects;
    objects.push_back(std::move(std::get<DicomObject>(object)));
    return objects;
}

std::shared_ptr<const Source> read_source(const std::string& path) {
    const auto source = std::make_shared<Source>();
    source->path = path;
    source->objects = objects_of(path, source->warnings);
    for (const DicomObject& object : source->objects) {
        for (const DicomFrame& frame : object.frames) source->frames.push_back({&object, &frame});
        for (const std::string& warning : object.warnings)
            if (std::ranges::find(source->warnings, warning) == source->warnings.end()) source->warnings.push_back(warning);
    }
    source->volumes = arrange(path, source->frames);
    source->type = voxel_type(source->frames);
    return source;
}

bool is_same_geometry(const Geometry& a, const Geometry& b) {
    if (a.affine && b.affine) return is_same_place(*a.affine, *b.affine);
    const auto is_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    if (a.affine.has_value() != b.affine.has_value() || a.spacing.has_value() != b.spacing.has_value()) return false;
    return !a.spacing || std::ranges::equal(*a.spacing, *b.spacing, is_same);
}

// A VolumeInfo has one extent and one geometry. Stacks can have others, and are then described only if one is chosen.
bool are_alike(const std::vector<DicomVolume>& volumes) {
    return std::ranges::all_of(volumes, [&](const DicomVolume& volume) {
        return volume.slices.size() == volumes[0].slices.size() && is_same_geometry(volume.geometry, volumes[0].geometry);
    });
}

// ": segment 1, segment 2, ..."
std::string names_of(const std::vector<DicomVolume>& volumes) {
    constexpr std::size_t most = 4;
    std::string names;
    for (std::size_t i = 0; i < std::min(volumes.size(), most); ++i) names += (i == 0 ? ": " : ", ") + volumes[i].name;
    return names + (volumes.size() > most ? ", ..." : "");
}

std::string stored_type_of(const DicomSamples& samples) { return samples.allocated == 1 ? "bool" : std::string(name_of(samples.type())); }

/// @param volume whose geometry is described
VolumeInfo info_of(const Source& source, std::int64_t volume) {
    const DicomVolume& chosen = source.volumes.volumes[std::size_t(volume)];
    const DicomObject& first = source.objects.front();
    VolumeInfo info;
    info.path = source.path;
    info.format = std::filesystem::is_directory(source.path) ? "DICOM series" : "DICOM";
    info.compression = first.syntax->name;
    info.extent = {first.columns, first.rows, std::int64_t(chosen.slices.size())};
    info.type = source.type;
    info.stored_type = stored_type_of(first.samples);
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.volumes = std::int64_t(source.volumes.volumes.size());
    info.volume_axes = source.volumes.axes;
    DicomDetails details;
    if (info.volumes > 1)
        for (const DicomVolume& v : source.volumes.volumes) details.volume_names.push_back(v.name);
    info.details = std::move(details);
    info.geometry = chosen.geometry;
    info.warnings = source.warnings;
    std::ranges::copy(chosen.warnings, std::back_inserter(info.warnings));
    checked_bytes(info.extent, size_of(info.type), info.path);
    return info;
}

/// Decodes a frame with a library. Runs in a child process.
using DecodeFrame = void (*)(const EncodedDicomFrame&, std::span<std::byte> to);

class DicomReader final : public VolumeReader {
public:
    /// @param decode_frame null if no frame needs it
    DicomReader(std::shared_ptr<const Source> source, std::int64_t volume, VolumeInfo info, DecodeFrame decode_frame)
        : source_(std::move(source)), volume_(source_->volumes.volumes[std::size_t(volume)]), decode_(decode_frame) {
        info_ = std::move(info);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const std::int64_t z = rows.first / ny, y = rows.first % ny, count = std::min(rows.count, ny - y);
            read_slice(volume_.slices[std::size_t(z)], {y, count}, {to, std::size_t(count * row_bytes)});
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }
    bool reads_anywhere() const override { return !source_->has_codec({Codec::deflated, Codec::stored, Codec::rle, Codec::library}); }
    void rewind() override {}
    std::int64_t rows_per_read() const override { return info_.extent.ny; }

private:
    void read_slice(std::int64_t index, RowRange rows, std::span<std::byte> to) {
        if (index == no_frame) {
            std::memset(to.data(), 0, to.size());
            return;
        }
        const auto& [object, frame] = source_->frames[std::size_t(index)];
        if (!object->pixels.fragments.empty()) return copy_decoded(index, rows, to);
        const std::int64_t samples = rows.count * info_.extent.nx;
        if (object->samples.type() == info_.type) {
            read_native(*open(*object), *object, frame->number, rows, to);
            return convert_samples({object->samples, frame->scaling, info_.type}, to, to.data());
        }
        std::vector<std::byte> stored(std::size_t(samples * object->samples.bytes()));
        read_native(*open(*object), *object, frame->number, rows, stored);
        convert_samples({object->samples, frame->scaling, info_.type}, stored, to.data());
    }

    // Decodes the frame, unless it is the last that was decoded.
    void copy_decoded(std::int64_t index, RowRange rows, std::span<std::byte> to) {
        if (index != decoded_index_) decode(index);
        const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
        std::memcpy(to.data(), decoded_.data() + rows.first * row_bytes, to.size());
    }

    void decode(std::int64_t index) {
        const auto& [object, frame] = source_->frames[std::size_t(index)];
        decoded_index_ = no_frame;
        const std::vector<std::byte> encoded = encoded_frame(*open(*object), *object, frame->number);
        const std::int64_t pixels = object->columns * object->rows;
        std::vector<std::byte> samples(std::size_t(pixels * object->samples.bytes()));
        if (object->syntax->codec == Codec::rle) decode_rle(encoded, *object, samples);
        else if (object->syntax->codec == Codec::stored) copy_stored(encoded, *object, samples);
        else
            decode_({object->path, std::string(object->syntax->uid), object->columns, object->rows, object->samples.allocated,
                     object->samples.stored, object->samples.is_signed, encoded},
                    samples);
        decoded_.resize(std::size_t(pixels * size_of(info_.type)));
        convert_samples({object->samples, frame->scaling, info_.type}, samples, decoded_.data());
        decoded_index_ = index;
    }

    static void copy_stored(std::span<const std::byte> stored, const DicomObject& object, std::span<std::byte> to) {
        const bool are_bits = object.samples.allocated == 1;
        if (stored.size() < (are_bits ? (to.size() + 7) / 8 : to.size()))
            throw Error(ErrorKind::corrupt_file, object.path,
                        "a frame has " + std::to_string(stored.size()) + " bytes, too few for its pixels");
        if (are_bits) unpack_bits(stored, 0, to);
        else std::ranges::copy(stored.first(to.size()), to.begin());
    }

    // The file of an object. The last one stays open.
    std::shared_ptr<const DicomBytes> open(const DicomObject& object) {
        const std::scoped_lock lock(mutex_);
        if (opened_ == &object) return bytes_;
        const auto bytes = std::make_shared<DicomBytes>(object.path);
        if (bytes->version() != object.version) throw Error(ErrorKind::changed_file, object.path, "has changed while it was read");
        if (object.syntax->codec == Codec::deflated) bytes->inflate_from(object.data_from);
        opened_ = &object;
        bytes_ = bytes;
        return bytes;
    }

    std::shared_ptr<const Source> source_;
    const DicomVolume& volume_;
    DecodeFrame decode_;
    std::mutex mutex_;
    const DicomObject* opened_ = nullptr;
    std::shared_ptr<const DicomBytes> bytes_;  // of opened_
    std::int64_t decoded_index_ = no_frame;
    std::vector<std::byte> decoded_;  // voxels of the frame decoded_index_
};

// Memory for the library: some formats need several words per sample.
std::int64_t memory_for(const VolumeInfo& info) {
    constexpr std::int64_t bytes_per_sample = 32;
    return ChildLimits::base_memory + bytes_per_sample * info.extent.nx * info.extent.ny;
}

std::vector<std::string> paths_of(const Source& source) {
    std::vector<std::string> paths;
    for (const DicomObject& object : source.objects) paths.push_back(object.path);
    return paths;
}

}  // namespace

std::unique_ptr<VolumeReader> open_dicom(const std::string& path, const OpenOptions& options) {
    const auto source = read_source(path);
    const std::vector<DicomVolume>& volumes = source->volumes.volumes;
    const std::int64_t volume = chosen_volume(info_of(*source, 0), options, volumes.size() > 1 ? names_of(volumes) : "");
    const VolumeInfo info = info_of(*source, volume);
    if (!source->has_codec({Codec::library})) return std::make_unique<DicomReader>(source, volume, info, nullptr);
    const ItkModule& itk = itk_module(path);
    constexpr int processor_seconds = 30;  // for a frame; more for large volumes
    const ChildLimits limits{.memory = memory_for(info), .processor_seconds = processor_seconds};
    return open_itk_isolated(path, limits, {.readable = paths_of(*source)}, 0, [&itk, source, volume, info] {
        return std::make_unique<DicomReader>(source, volume, info, itk.decode_dicom_frame);
    });
}

VolumeInfo describe_dicom(const std::string& path, const OpenOptions& options) {
    const auto source = read_source(path);
    const std::vector<DicomVolume>& volumes = source->volumes.volumes;
    const std::int64_t count = std::ssize(volumes), volume = options.volume.value_or(0);
    VolumeInfo info = info_of(*source, volume >= 0 && volume < count ? volume : 0);
    if (options.volume || are_alike(volumes)) return info;
    info.extent = {};
    info.geometry = {};
    info.warnings.push_back("its volumes have different sizes or positions; describe one of them, as in [0]");
    return info;
}

std::vector<std::string> files_of_dicom(const std::string& path, const OpenOptions&) {
    std::vector<std::string> files{path};
    if (std::filesystem::is_directory(path)) std::ranges::move(files_in_dicom_folder(path), std::back_inserter(files));
    return files;
}

}  // namespace voxcc::io
