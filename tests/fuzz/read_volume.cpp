#include "tests/fuzz/read_volume.h"

#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstring>

namespace voxcc::fuzz {
namespace {

constexpr std::int64_t most_bytes = 1 << 20;
constexpr std::int64_t most_rows = 4096;         // a file of 5 kB can have a million rows, each of which needs a request to a child process
constexpr std::int64_t most_together = 8 << 20;  // bytes of a layer; each of its rows can be a chunk of its own

struct Voxels {
    std::vector<std::byte> bytes;
    std::int64_t rows = 0, row_bytes = 0;
};

// Reads from row 0 on: all rows, or as many as the limits permit.
Voxels read_start(io::VolumeReader& reader, std::int64_t rows_at_once) {
    Voxels voxels;
    voxels.row_bytes = reader.info().extent.nx * size_of(reader.info().type);
    if (voxels.row_bytes > most_bytes || reader.rows_per_read() > most_together / voxels.row_bytes) return voxels;
    voxels.rows = std::min({reader.info().extent.rows(), most_bytes / voxels.row_bytes, most_rows});
    voxels.bytes.resize(std::size_t(voxels.rows * voxels.row_bytes));
    for (std::int64_t row = 0; row < voxels.rows; row += rows_at_once)
        reader.read_rows({row, std::min(rows_at_once, voxels.rows - row)}, voxels.bytes.data() + row * voxels.row_bytes);
    return voxels;
}

// Reads all layers of a volume that fits into `voxels`, and compares each voxel.
void compare_layers(io::VolumeReader& reader, const Voxels& voxels, Agreement agreement) {
    const std::int64_t size = size_of(reader.info().type), rows = reader.info().extent.rows();
    std::int64_t visited = 0;
    for (std::int64_t row = 0; row < rows;) {
        const RowRange layer = reader.layer_of(row)->rows;
        if (layer.first != row || layer.count < 1 || layer.end() > rows) fault("the layers do not follow each other");
        reader.read_layer(
            layer,
            [&](const io::RowPart& part) {
                if (part.row < layer.first || part.row >= layer.end() || part.x < 0 || part.count < 1) fault("a part is outside its layer");
                if ((part.x + part.count) * size > voxels.row_bytes) fault("a part is longer than its row");
                const std::byte* const expected = voxels.bytes.data() + part.row * voxels.row_bytes + part.x * size;
                const bool is_equal = std::memcmp(expected, part.voxels, std::size_t(part.count * size)) == 0;
                if (!is_equal && agreement == Agreement::required) fault("a layer has other voxels than its rows");
                visited += part.count;
            },
            io::Visits::in_turn);
        row = layer.end();
    }
    if (visited != reader.info().extent.voxels()) fault("the layers do not contain each voxel once");
}

}  // namespace

void read_as_program(const std::string& path, const io::OpenOptions& options, Agreement agreement) {
    const io::VolumeInfo described = io::describe_volume(path, options);
    const auto reader = io::open_volume(path, options);
    const io::VolumeInfo& info = reader->info();
    if (info.extent.nx < 1 || info.extent.ny < 1 || info.extent.nz < 1) fault("an opened volume is empty");
    const bool is_described = described.extent.voxels() == 0 || described.extent == info.extent;
    if (!is_described && agreement == Agreement::required) fault("describe_volume() states another extent");
    const Voxels voxels = read_start(*reader, std::max<std::int64_t>(1, reader->rows_per_read()));
    const bool is_complete = voxels.rows == info.extent.rows();
    if (!is_complete) return;
    reader->rewind();
    if (read_start(*reader, 3).bytes != voxels.bytes && agreement == Agreement::required)
        fault("rows read three at a time have other voxels");
    if (reader->layer_of(0)) compare_layers(*reader, voxels, agreement);
}

}  // namespace voxcc::fuzz
