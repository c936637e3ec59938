#include "tests/toy_format/toy.h"

#include "io/contiguous_reader.h"
#include "io/contiguous_writer.h"
#include "io/files/checked_file.h"

#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::size_t header_bytes = 7;

ContiguousFile read_header(const std::string& path) {
    auto file = std::make_unique<DecodedFile>(path);
    std::array<std::byte, header_bytes> header{};
    file->read(0, header);
    VolumeInfo info;
    info.path = path;
    info.format = "toy";
    info.compression = "none";
    info.stored_type = "uint8";
    info.extent = {std::int64_t(header[4]), std::int64_t(header[5]), std::int64_t(header[6])};
    ContiguousVoxels voxels{.offset = header_bytes, .bytes = info.extent.voxels(), .bytes_per_voxel = 1};
    return {std::move(info), std::move(voxels), std::move(file)};
}

}  // namespace

std::unique_ptr<VolumeReader> open_toy(const std::string& path, const OpenOptions& options) {
    return open_contiguous(read_header(path), options);
}

VolumeInfo describe_toy(const std::string& path, const OpenOptions&) { return checked_info(read_header(path)); }

std::unique_ptr<LabelWriter> create_toy(const LabelVolume& volume, OutputFiles& outputs) {
    const Extent& extent = volume.like->extent;
    std::vector<std::byte> header;
    for (const char c : toy_magic) header.push_back(std::byte(c));
    for (const std::int64_t size : {extent.nx, extent.ny, extent.nz}) header.push_back(std::byte(size));
    return create_contiguous(volume, outputs.create(volume.path), header, FileCompression::none, std::endian::little);
}

std::vector<ScalarType> toy_label_types(const std::string&) { return {ScalarType::u8}; }

}  // namespace voxcc::io
