// FreeSurfer volumes: .mgh, and .mgz (the same with gzip). A trailer with scan parameters and tags follows the voxels; it is not read.
#include "io/contiguous_reader.h"
#include "io/contiguous_writer.h"
#include "io/formats.h"
#include "io/mgh/mgh_header.h"

namespace voxcc::io {
namespace {

struct OpenedMgh {
    VolumeInfo info;
    ContiguousVoxels voxels;
    std::unique_ptr<DecodedFile> file;
};

OpenedMgh open_header(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk)
        throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read FreeSurfer volumes", "voxcc");
    auto file = std::make_unique<DecodedFile>(path, Pipes::read);
    OpenedMgh opened{read_mgh_header(*file), {}, nullptr};
    VolumeInfo& info = opened.info;
    const std::int64_t bytes_per_voxel = size_of(info.type);
    opened.voxels = {.offset = mgh_header_bytes,
                     .bytes = checked_bytes({info.volumes, 1, 1}, checked_bytes(info.extent, bytes_per_voxel, path), path),
                     .bytes_per_voxel = bytes_per_voxel,
                     .byte_order = std::endian::big,
                     .end = ContiguousVoxels::End::trailer};
    check_length(opened.voxels, *file, info.warnings);
    opened.file = std::move(file);
    return opened;
}

}  // namespace

std::unique_ptr<VolumeReader> open_mgh(const std::string& path, const OpenOptions& options) {
    OpenedMgh opened = open_header(path, options);
    const std::int64_t volume = chosen_volume(opened.info, options);
    return open_contiguous(std::move(opened.info), std::move(opened.file), std::move(opened.voxels), {volume, options.kept});
}

VolumeInfo describe_mgh(const std::string& path, const OpenOptions& options) { return open_header(path, options).info; }

std::unique_ptr<LabelWriter> create_mgh(const LabelVolume& volume, OutputFiles& outputs) {
    const auto compression = has_extension(volume.path, {".mgh"}) ? FileCompression::none : FileCompression::gzip;
    const std::vector<std::byte> header = mgh_header(volume);
    return create_contiguous(volume, outputs.create(volume.path), header, compression, std::endian::big);
}

}  // namespace voxcc::io
