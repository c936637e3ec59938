// HDF5 read: any dataset of numbers, in slabs of whole chunks.
#include "io/formats.h"
#include "io/hdf5/hdf5_voxels.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

using namespace hdf5;

// Bytes kept unpacked, or voxels where only what somebody makes of them is kept; more, and chunks are unpacked more than once.
constexpr std::int64_t largest_slab = std::int64_t{1} << 30;

class Hdf5Reader final : public VolumeReader {
public:
    Hdf5Reader(const std::string& path, const OpenOptions& options) : input_(path), process_(input_, options), voxels_(input_, process_) {
        info_ = process_.info();
        if (!voxels_.is_chunked()) return;
        rows_per_read_ = rows_together(largest_slab / (info_.extent.nx * size_of(info_.type)));
        rows_per_layer_ = rows_together(largest_slab / info_.extent.nx);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const RowRange slab = slab_of(rows);
            const std::int64_t count = std::min(rows.count, slab.end() - rows.first);
            if (count == slab.count) {
                voxels_.read(box_of(slab), to);
            } else {
                if (kept_ != slab) {
                    kept_ = {};
                    slab_.resize(std::size_t(slab.count * row_bytes));
                    voxels_.read(box_of(slab), slab_.data());
                    kept_ = slab;
                }
                std::memcpy(to, slab_.data() + (rows.first - slab.first) * row_bytes, std::size_t(count * row_bytes));
            }
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {
        slab_ = {};
        kept_ = {};
    }
    std::int64_t rows_per_read() const override { return rows_per_read_; }

    std::optional<Layer> layer_of(std::int64_t row) const override {
        if (!voxels_.has_own_chunks()) return {};
        return Layer{slab_around(row, rows_per_layer_), voxels_.bytes_of_parts()};
    }
    void read_layer(RowRange layer, const PartVisitor& visit) override {
        if (!voxels_.has_own_chunks()) return VolumeReader::read_layer(layer, visit);
        voxels_.read_parts(box_of(layer), visit);
    }

private:
    // A layer of chunks at a time, so that each is unpacked once; parts of a layer or a slice where those are more than `most` rows.
    std::int64_t rows_together(std::int64_t most) const {
        const Extent& e = info_.extent;
        const std::int64_t slices = std::min({voxels_.chunk_depth(), e.nz, most / e.ny}), height = voxels_.chunk_height();
        return slices > 0 ? slices * e.ny : std::clamp(most / height * height, std::int64_t{1}, e.ny);
    }

    // The rows that are read together and hold the first of `rows`: whole slices, or rows of one.
    RowRange slab_of(RowRange rows) const {
        const Extent& e = info_.extent;
        if (voxels_.is_chunked()) return slab_around(rows.first, rows_per_read_);
        const std::int64_t y = rows.first % e.ny;  // nothing to unpack: just what is asked for
        if (y == 0 && rows.count >= e.ny) return {rows.first, rows.count / e.ny * e.ny};
        return {rows.first, std::min(rows.count, e.ny - y)};
    }

    // Of the slabs of `height` rows, which begin anew in each slice if they are lower than one, that which holds `row`.
    RowRange slab_around(std::int64_t row, std::int64_t height) const {
        const Extent& e = info_.extent;
        const std::int64_t from = height >= e.ny ? 0 : row - row % e.ny, end = height >= e.ny ? e.rows() : from + e.ny;
        const std::int64_t first = row - (row - from) % height;
        return {first, std::min(height, end - first)};
    }

    Box box_of(RowRange slab) const {
        const Extent& e = info_.extent;
        if (slab.count >= e.ny) return {slab.first / e.ny, slab.count / e.ny, 0, e.ny, 0, e.nx};
        return {slab.first / e.ny, 1, slab.first % e.ny, slab.count, 0, e.nx};
    }

    InputFile input_;
    Hdf5Process process_;
    Voxels voxels_;
    std::int64_t rows_per_read_ = 1, rows_per_layer_ = 1;
    std::vector<std::byte> slab_;  // the rows kept_, where less than a slab was asked for
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
