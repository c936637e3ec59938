// Files without a header. RawLayout states what a header would state.
#include "io/formats/raw/raw.h"
#include "io/formats/stored/stored_reader.h"

namespace voxcc::io {
namespace {

StoredVolume raw_volume(const std::string& path, const OpenOptions& options) {
    const RawLayout& layout = *options.raw;
    if (options.reader == ReaderChoice::itk)
        throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read files without a header", "voxcc");
    const InputFile file(path, Pipes::read);
    StoredVolume volume;
    VolumeInfo& info = volume.info;
    info.path = path;
    info.format = "raw";
    info.compression = "none";
    info.extent = layout.extent;
    info.type = layout.type;
    info.stored_type = layout.samples == Samples::halves ? "float16" : name_of(layout.type);
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.volumes = layout.volumes;
    locate_after_header(volume, file, layout.offset);
    volume.byte_order = layout.byte_order;
    volume.samples = layout.samples;
    check_length(volume);
    return volume;
}

}  // namespace

std::unique_ptr<VolumeReader> open_raw(const std::string& path, const OpenOptions& options) {
    return open_stored(raw_volume(path, options), options);
}

VolumeInfo describe_raw(const std::string& path, const OpenOptions& options) { return raw_volume(path, options).info; }

}  // namespace voxcc::io
