// NumPy files (.npy): one array, whose elements follow the header without compression.
//
// The order in memory decides: the fastest axis becomes x, and voxels are read as they are stored.
//   C order, shape (2, 3, 4):       array[z, y, x]  ->  extent {4, 3, 2}
//   Fortran order, shape (4, 3, 2): array[x, y, z]  ->  extent {4, 3, 2}
// Axes after the third fastest count volumes.
#include "io/formats/npy/npy.h"
#include "io/formats/npy/npy_header.h"
#include "io/formats/stored/stored_reader.h"

namespace voxcc::io {
namespace {

StoredVolume parse_npy(const std::string& path, const OpenOptions& options) {
    if (options.reader == ReaderChoice::itk) throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read NumPy files", "voxcc");
    const InputFile file(path, Pipes::read);
    const NpyHeader header = read_npy_header(file);
    const NpyType type = parse_npy_type(header.descr, path);
    StoredVolume volume;
    VolumeInfo& info = volume.info;
    info = describe_array(header, type, path);
    info.compression = "none";
    locate_after_header(volume, file, header.end);
    volume.byte_order = type.byte_order;
    volume.samples = type.samples;
    check_length(volume);
    return volume;
}

}  // namespace

std::unique_ptr<VolumeReader> open_npy(const std::string& path, const OpenOptions& options) {
    return open_stored(parse_npy(path, options), options);
}

VolumeInfo describe_npy(const std::string& path, const OpenOptions& options) { return parse_npy(path, options).info; }

}  // namespace voxcc::io
