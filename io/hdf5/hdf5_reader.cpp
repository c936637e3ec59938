// Reader of HDF5 volumes: any dataset of numbers, read in chunk layers.
#include "io/formats.h"
#include "io/hdf5/hdf5_voxels.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

using namespace hdf5;

// Limit of the bytes (or, for read_layer(), voxels) of a chunk layer. A larger layer is split, and its chunks are decoded more than once.
constexpr std::int64_t largest_chunk_layer = std::int64_t{1} << 30;

class Hdf5Reader final : public VolumeReader {
public:
    Hdf5Reader(const std::string& path, const OpenOptions& options) : input_(path), process_(input_, options), voxels_(input_, process_) {
        info_ = process_.info();
        if (!voxels_.is_chunked()) return;
        rows_per_read_ = rows_together(largest_chunk_layer / (info_.extent.nx * size_of(info_.type)));
        rows_per_layer_ = rows_together(largest_chunk_layer / info_.extent.nx);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const RowRange layer = chunk_layer_of(rows);
            const std::int64_t count = std::min(rows.count, layer.end() - rows.first);
            if (count == layer.count) {
                voxels_.read(box_of(layer), to);
            } else {
                if (kept_ != layer) {
                    kept_ = {};
                    chunk_layer_.resize(std::size_t(layer.count * row_bytes));
                    voxels_.read(box_of(layer), chunk_layer_.data());
                    kept_ = layer;
                }
                std::memcpy(to, chunk_layer_.data() + (rows.first - layer.first) * row_bytes, std::size_t(count * row_bytes));
            }
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {
        chunk_layer_ = {};
        kept_ = {};
    }
    std::int64_t rows_per_read() const override { return rows_per_read_; }

    std::optional<Layer> layer_of(std::int64_t row) const override {
        if (!voxels_.has_own_chunks()) return {};
        return Layer{chunk_layer_around(row, rows_per_layer_), voxels_.bytes_of_parts()};
    }
    void read_layer(RowRange layer, const PartVisitor& visit) override {
        if (!voxels_.has_own_chunks()) return VolumeReader::read_layer(layer, visit);
        voxels_.read_parts(box_of(layer), visit);
    }

private:
    // @return rows of a chunk layer, so that each chunk is decoded once; fewer slices, or rows of one slice, if a layer exceeds `most` rows
    std::int64_t rows_together(std::int64_t most) const {
        const Extent& e = info_.extent;
        const std::int64_t slices = std::min({voxels_.chunk_depth(), e.nz, most / e.ny}), height = voxels_.chunk_height();
        return slices > 0 ? slices * e.ny : std::clamp(most / height * height, std::int64_t{1}, e.ny);
    }

    // @return the rows that are read together with the first of `rows`: complete slices, or rows of one slice
    RowRange chunk_layer_of(RowRange rows) const {
        const Extent& e = info_.extent;
        if (voxels_.is_chunked()) return chunk_layer_around(rows.first, rows_per_read_);
        const std::int64_t y = rows.first % e.ny;  // not chunked: only the requested rows
        if (y == 0 && rows.count >= e.ny) return {rows.first, rows.count / e.ny * e.ny};
        return {rows.first, std::min(rows.count, e.ny - y)};
    }

    // @return the piece of `height` rows that contains `row`; pieces lower than a slice start again in each slice
    RowRange chunk_layer_around(std::int64_t row, std::int64_t height) const {
        const Extent& e = info_.extent;
        const std::int64_t from = height >= e.ny ? 0 : row - row % e.ny, end = height >= e.ny ? e.rows() : from + e.ny;
        const std::int64_t first = row - (row - from) % height;
        return {first, std::min(height, end - first)};
    }

    Box box_of(RowRange layer) const {
        const Extent& e = info_.extent;
        if (layer.count >= e.ny) return {layer.first / e.ny, layer.count / e.ny, 0, e.ny, 0, e.nx};
        return {layer.first / e.ny, 1, layer.first % e.ny, layer.count, 0, e.nx};
    }

    InputFile input_;
    Hdf5Process process_;
    Voxels voxels_;
    std::int64_t rows_per_read_ = 1, rows_per_layer_ = 1;
    std::vector<std::byte> chunk_layer_;  // decoded rows of kept_, if only a part of them was requested
    RowRange kept_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options) {
    return std::make_unique<Hdf5Reader>(path, options);
}

VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options) { return describe_in_process(InputFile(path), options); }

std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions& options) {
    return files_in_process(InputFile(path), options);
}

}  // namespace voxcc::io
