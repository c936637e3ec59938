// FreeSurfer volumes: .mgh, and .mgz (the same with gzip). A trailer with scan parameters and tags follows the voxels; it is not read.
#include "io/formats/mgh/mgh.h"
#include "io/contiguous_reader.h"
#include "io/contiguous_writer.h"
#include "io/formats/mgh/mgh_header.h"
#include "io/shared_by_formats.h"

namespace voxcc::io {
namespace {

ContiguousFile read_header(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk)
        throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read FreeSurfer volumes", "voxcc");
    auto file = std::make_unique<DecodedFile>(path, Pipes::read);
    VolumeInfo info = read_mgh_header(*file);
    const std::int64_t bytes_per_voxel = size_of(info.type);
    ContiguousVoxels voxels{.offset = mgh_header_bytes,
                            .bytes = bytes_of_volumes(info, bytes_per_voxel),
                            .bytes_per_voxel = bytes_per_voxel,
                            .byte_order = std::endian::big,
                            .end = ContiguousVoxels::End::trailer};
    return {std::move(info), std::move(voxels), std::move(file)};
}

}  // namespace

std::unique_ptr<VolumeReader> open_mgh(const std::string& path, const OpenOptions& options) {
    return open_contiguous(read_header(path, options), options);
}

VolumeInfo describe_mgh(const std::string& path, const OpenOptions& options) { return checked_info(read_header(path, options)); }

bool stores_mgh_values(const std::string&, ScalarType type) {
    using enum ScalarType;
    return type == u8 || type == i16 || type == u16 || type == i32 || type == f32;
}

std::unique_ptr<LabelWriter> create_mgh(const LabelVolume& volume, OutputFiles& outputs) {
    const auto compression = has_extension(volume.path, {".mgh"}) ? FileCompression::none : FileCompression::gzip;
    const std::vector<std::byte> header = mgh_header(volume);
    return create_contiguous(volume, outputs.create(volume.path), header, compression, std::endian::big);
}

}  // namespace voxcc::io
