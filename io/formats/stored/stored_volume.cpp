#include "io/formats/stored/stored_volume.h"

#include "io/shared_by_formats.h"

#include <algorithm>
#include <cmath>

namespace voxcc::io {
namespace {

/// The most decoded bytes that a stored byte can give.
double most_bytes_per_stored_byte(const StoredVolume& volume) {
    switch (volume.encoding) {
        case Encoding::raw: return 1;
        case Encoding::deflate: return 1032;
        case Encoding::bzip2: return 1 << 21;                                  // a block of more than 22 bytes gives at most 46 MB
        case Encoding::numbers: return double(size_of(volume.info.type)) / 2;  // a digit and a blank
        case Encoding::hex: return 0.5;
    }
    return 1;
}

}  // namespace

std::int64_t bytes_per_sample(const StoredVolume& volume) { return volume.samples == Samples::halves ? 2 : size_of(volume.info.type); }

std::int64_t total_bytes(const StoredVolume& volume) {
    const VolumeInfo& info = volume.info;
    const std::int64_t one_volume = checked_bytes(info.extent, bytes_per_sample(volume), info.path);
    return checked_bytes({info.volumes, 1, 1}, one_volume, info.path);
}

void locate_after_header(StoredVolume& volume, const InputFile& file, std::int64_t header_end) {
    volume.data_path = file.path();
    volume.offset = header_end;
    volume.stored = std::max<std::int64_t>(0, file.size() - header_end);
    volume.source = file.is_pipe() ? Pipes::read : Pipes::refuse;
}

void check_length(StoredVolume& volume) {
    VolumeInfo& info = volume.info;
    std::int64_t needed = total_bytes(volume);
    if (__builtin_add_overflow(needed, volume.lead, &needed))
        throw Error(ErrorKind::invalid_file, info.path, "the header claims more than 2^63 bytes of voxels");
    if (volume.source == Pipes::read) return;
    const std::string have = "the header claims " + std::to_string(needed) + " bytes of voxels, there are " + std::to_string(volume.stored);
    if (volume.encoding != Encoding::raw) {
        if (volume.stored <= 0 || std::floor(double(needed) / most_bytes_per_stored_byte(volume)) > double(volume.stored))
            throw Error(ErrorKind::wrong_size, volume.data_path, have + (is_text(volume.encoding) ? " bytes of text" : " compressed ones"));
        return;
    }
    if (volume.stored < needed) throw Error(ErrorKind::wrong_size, volume.data_path, have);
    if (volume.stored > needed) info.warnings.push_back(ignored_bytes(volume.stored - needed, "the voxels"));
}

}  // namespace voxcc::io
