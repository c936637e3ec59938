// Helpers that read complete volumes, and write label volumes block by block as the program does.
#pragma once
#include "io/files/checked_file.h"
#include "io/io.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace voxcc::test {

/// All voxels, read in steps of `rows_per_read` rows.
inline std::vector<std::byte> read_all(io::VolumeReader& reader, std::int64_t rows_per_read) {
    const Extent& extent = reader.info().extent;
    const std::int64_t row_bytes = extent.nx * size_of(reader.info().type);
    std::vector<std::byte> voxels(std::size_t(extent.rows() * row_bytes));
    reader.rewind();
    for (std::int64_t row = 0; row < extent.rows(); row += rows_per_read)
        reader.read_rows({row, std::min(rows_per_read, extent.rows() - row)}, voxels.data() + row * row_bytes);
    return voxels;
}

inline bool same_bytes(std::span<const std::byte> a, std::span<const std::uint8_t> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

inline std::int64_t count_above(io::VolumeReader& reader, double threshold) {
    const auto voxels = read_all(reader, std::max<std::int64_t>(1, reader.rows_per_read()));
    return visit_scalar(reader.info().type, [&]<class T>(std::type_identity<T>) {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < voxels.size(); i += sizeof(T)) {
            T value;
            std::memcpy(&value, voxels.data() + i, sizeof value);
            count += double(value) > threshold;
        }
        return count;
    });
}

/// A VolumeInfo with only the extent set, for LabelVolume::like.
inline io::VolumeInfo volume_of(const Extent& extent) {
    io::VolumeInfo info;
    info.extent = extent;
    return info;
}

/// Writes and publishes a label volume. An existing file is replaced.
inline void write_labels(const io::LabelVolume& volume, std::span<const std::uint8_t> labels) {
    io::OutputFiles outputs(io::Overwrite::allow, {});
    const auto writer = io::create_label_volume(volume, outputs);
    const std::int64_t row_bytes = volume.like->extent.nx * size_of(volume.type);
    for (std::int64_t block = 0; block < writer->blocks(); ++block) {
        const RowRange rows = writer->rows_of(block);
        const auto raw = std::as_bytes(labels.subspan(std::size_t(rows.first * row_bytes), std::size_t(rows.count * row_bytes)));
        writer->append(block, writer->encode(block, raw));
    }
    writer->finish();
    outputs.publish();
}

}  // namespace voxcc::test
