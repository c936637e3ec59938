// Boxes of voxels out of a dataset, by whichever way is safe and fast.
#pragma once
#include "io/hdf5_geometry.h"

namespace voxcc::io::hdf5 {

/// Slices [z, z + nz), rows [y, y + ny) of each, whole rows.
struct Box {
    std::int64_t z = 0, nz = 0, y = 0, ny = 0;
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
    /// Copies a box into `to` as voxels of dataset().element.voxel, host byte order. Chunks that reach over the box are unpacked whole.
    /// @throw Error bad_data, io_error
    void read(const Box& box, std::byte* to);

private:
    void read_by_library(const Box& box, std::byte* to);
    void read_chunks(const Box& box, std::byte* to);
    void load_chunk(const std::vector<hsize_t>& offset);
    void copy_from_chunk(const Box& box, const std::vector<hsize_t>& offset, std::byte* to) const;
    void convert(std::byte* voxels, std::size_t count) const;

    const File& file_;
    StoredDataset dataset_;
    Axes axes_;
    std::vector<hsize_t> start_;      // of the volume along every axis, 0 along those of space
    std::vector<std::size_t> steps_;  // elements of a chunk between neighbours along every axis
    Id voxel_type_;                   // what the stored elements become
    std::vector<std::byte> packed_, chunk_, fill_;
};

}  // namespace voxcc::io::hdf5
