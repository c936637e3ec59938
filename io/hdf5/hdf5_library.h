// Voxels and places of chunks as the HDF5 library gives them. Used in a process of its own only (hdf5_process.h).
#pragma once
#include "io/hdf5/hdf5_geometry.h"

namespace voxcc::io::hdf5 {

/// One volume of a dataset.
class LibraryVoxels {
public:
    /// @param volume which one along axes.volumes, 0-based; @param file must live longer than this
    LibraryVoxels(const File& file, StoredDataset dataset, const Axes& axes, std::int64_t volume);
    const Layout& layout() const { return layout_; }
    /// The places of chunks. @throw Error bad_data
    std::vector<ChunkLocation> locate(const ChunkRow& chunks) const;
    /// The voxels of a box, in host byte order. @throw Error bad_data, io_error
    std::vector<std::byte> read(const Box& box) const;

private:
    std::vector<hsize_t> place_of(const Box& box) const;
    std::vector<hsize_t> first_of_chunk(const std::vector<hsize_t>& place) const;
    ChunkLocation locate(const std::vector<hsize_t>& first) const;
    bool is_partial(const std::vector<hsize_t>& first) const;

    const File& file_;
    StoredDataset dataset_;
    Layout layout_;
};

}  // namespace voxcc::io::hdf5
