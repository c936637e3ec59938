// Voxels and chunk positions read with the HDF5 library; used only in the child process (hdf5_process.h).
#pragma once
#include "io/formats/hdf5/hdf5_geometry.h"

namespace voxcc::io::hdf5 {

/// Access to one volume of a dataset.
class LibraryVoxels {
public:
    /// @param volume index along axes.volumes, 0-based; @param file must outlive this object
    LibraryVoxels(const File& file, StoredDataset dataset, const Axes& axes, std::int64_t volume);
    const Layout& layout() const { return layout_; }
    /// @return positions of the chunks. @throw Error about the content
    std::vector<ChunkLocation> locate(const ChunkNumbers& chunks) const;
    /// @return voxels of a box, in host byte order. @throw Error about the content, io_error
    std::vector<std::byte> read(const Box& box) const;

private:
    std::vector<hsize_t> place_of(const Box& box) const;
    std::vector<hsize_t> first_of_chunk(const std::vector<hsize_t>& place) const;
    ChunkLocation locate(const std::vector<hsize_t>& first) const;
    void check_chunks(const Box& box) const;
    bool is_partial(const std::vector<hsize_t>& first) const;

    const File& file_;
    StoredDataset dataset_;
    Layout layout_;
};

}  // namespace voxcc::io::hdf5
