// Boxes of voxels out of a dataset, by whichever way is safe and fast.
#pragma once
#include "io/hdf5_geometry.h"
#include "io/io.h"

namespace voxcc::io::hdf5 {

/// Slices [z, z + nz), rows [y, y + ny) of each, columns [x, x + nx) of those.
struct Box {
    std::int64_t z = 0, nz = 0, y = 0, ny = 0, x = 0, nx = 0;
    std::size_t voxels() const { return std::size_t(nx * ny * nz); }
};

/// One volume of a dataset.
class Voxels {
public:
    /// @param volume which one along axes.volumes, 0-based; `file` outlives this
    Voxels(const File& file, StoredDataset dataset, Axes axes, std::int64_t volume);
    Extent extent() const { return axes_.extent(dataset_); }
    const StoredDataset& dataset() const { return dataset_; }
    bool is_chunked() const { return !dataset_.chunk.empty(); }
    std::int64_t chunk_depth() const { return is_chunked() && axes_.z ? std::int64_t(dataset_.chunk[*axes_.z]) : 1; }
    std::int64_t chunk_height() const { return is_chunked() ? std::int64_t(dataset_.chunk[axes_.y]) : 1; }
    /// Whether chunks are unpacked here, one by one, and not by the library.
    bool has_own_chunks() const { return is_chunked() && dataset_.filters.is_ours(); }
    /// Bytes that read_parts() holds at most: a chunk as stored, between two filters and unpacked, and voxels gathered from chunks.
    std::int64_t bytes_of_parts() const;
    /// Copies a box of whole rows into `to` as voxels of dataset().element.voxel, host byte order. Chunks that reach over the box are
    /// unpacked whole.
    /// @throw Error bad_data, io_error
    void read(const Box& box, std::byte* to);
    /// Hands over a box of whole rows in parts as wide as a chunk, or as some narrow chunks: voxels as read() gives them. Only if
    /// has_own_chunks(). @throw Error as read(), what `visit` throws
    void read_parts(const Box& box, const PartVisitor& visit);

private:
    std::int64_t chunk_width() const { return std::int64_t(dataset_.chunk[axes_.x]); }
    // Bytes of a chunk between neighbours along y and z.
    std::int64_t row_step() const { return std::int64_t(steps_[axes_.y] * dataset_.element.bytes); }
    std::int64_t slice_step() const { return axes_.z ? std::int64_t(steps_[*axes_.z] * dataset_.element.bytes) : 0; }
    std::int64_t columns_of_parts() const;
    bool gathers_parts() const;
    template <class Use>
    void each_piece(const Box& box, std::int64_t columns, const Use& use) const;
    template <class Use>
    void each_chunk(const Box& box, const Use& use);
    const std::byte* load_chunk(const Box& share);
    void load_chunk(const std::vector<hsize_t>& offset);
    void read_by_library(const Box& box, std::byte* to);
    void gather(const Box& share, const std::byte* first, const Box& box, std::byte* to) const;
    void convert(std::byte* voxels, std::size_t count) const;

    const File& file_;
    StoredDataset dataset_;
    Axes axes_;
    std::vector<hsize_t> start_;      // of the volume along every axis, 0 along those of space
    std::vector<std::size_t> steps_;  // elements of a chunk between neighbours along every axis
    Id voxel_type_;                   // what the stored elements become
    bool stored_as_voxels_ = false;   // they are that already
    std::vector<std::byte> packed_, chunk_, voxels_, fill_;
};

}  // namespace voxcc::io::hdf5
