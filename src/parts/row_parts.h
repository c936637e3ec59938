// Reads the rows of a box, and as little else as the format allows.
#pragma once
#include <voxcc/parts.h>
#include "io/chunked_reader.h"
#include "src/pipeline/input.h"

#include <algorithm>

namespace voxcc::parts {

/// Calls f(part) for parts of rows that contain all voxels of a box, and others.
/// @param visits the calls that f supports
template <class F>
void for_each_row_part_of(io::VolumeReader& reader, const Box& box, io::Visits visits, F&& f) {
    const io::VolumeInfo& info = reader.info();
    if (io::read_chunks_of(reader, {box.first[2], box.count[2], box.first[1], box.count[1], box.first[0], box.count[0]}, f, visits)) return;
    const std::int64_t ny = info.extent.ny, row_bytes = info.extent.nx * size_of(info.type);
    std::vector<std::byte> bytes;
    const auto read = [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t row = first, count = 0; row < end; row += count) {
            count = std::min(rows_per_buffer(reader), end - row);
            bytes.resize(std::size_t(count * row_bytes));
            reader.read_rows({row, count}, bytes.data());
            for (std::int64_t i = 0; i < count; ++i) f(io::RowPart{row + i, 0, info.extent.nx, bytes.data() + i * row_bytes});
        }
    };
    const std::int64_t y0 = box.first[1], y1 = y0 + box.count[1], z1 = box.first[2] + box.count[2];
    if (!reader.reads_anywhere()) return read(0, (z1 - 1) * ny + y1);
    for (std::int64_t z = box.first[2]; z < z1; ++z) read(z * ny + y0, z * ny + y1);
}

}  // namespace voxcc::parts
