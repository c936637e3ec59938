// Reading of boxes of voxels from an HDF5 file: decoded and converted here if the layout allows it, else by the child process.
#pragma once
#include "io/formats/hdf5/hdf5_filters.h"
#include "io/formats/hdf5/hdf5_process.h"

namespace voxcc::io::hdf5 {

/// Reads the voxels of one volume; keeps buffers between calls. Not thread-safe.
class Voxels {
public:
    /// @param input, process must outlive this object
    Voxels(const InputFile& input, Hdf5Process& process);
    bool is_chunked() const { return layout_.chunk != layout_.shape || layout_.storage == Storage::chunked; }
    std::int64_t chunk_depth() const { return layout_.z ? layout_.chunk[*layout_.z] : 1; }
    std::int64_t chunk_height() const { return layout_.chunk[layout_.y]; }
    /// @return whether chunks are decoded here, one by one, and not by the library
    bool has_own_chunks() const { return layout_.storage == Storage::chunked; }
    /// @return peak memory of read_parts() in bytes: a chunk as stored, between two filters and decoded, and voxels gathered from chunks
    std::int64_t bytes_of_parts() const;
    /// Reads a box into `to` as voxels in host byte order. The box must have complete rows. Chunks partly outside are decoded completely.
    /// @throw Error about the content, io_error
    void read(const Box& box, std::byte* to);
    /// The width of the parts of read_parts(): a chunk, or several narrow chunks.
    std::int64_t columns_of_parts() const;
    /// Calls `visit` with the voxels of a box, in parts. The first column must be a multiple of columns_of_parts(). The caller must check
    /// has_own_chunks() first. @throw Error as read(), and errors of `visit`
    void read_parts(const Box& box, const PartVisitor& visit);

private:
    /// Elements of a box in memory: the first, and the bytes to the next along each axis.
    struct View {
        const std::byte* first;
        std::int64_t x_step, row_step, slice_step;
    };
    std::int64_t chunk_width() const { return layout_.chunk[layout_.x]; }
    bool is_stored_as_voxels() const { return layout_.element.conversion == Conversion::none; }
    bool gathers_parts() const;
    template <class Use>
    void each_piece(const Box& box, std::int64_t columns, const Use& use) const;
    template <class Use>
    void each_chunk(const Box& box, const Use& use);
    View load(const Box& share);
    View fill_view(const Box& share);
    void load_chunk(const ChunkLocation& chunk);
    ChunkLocation location_of(const Box& share);
    void read_contiguous(const Box& box, std::byte* to);
    void read_by_library(const Box& box, std::byte* to);
    void gather(const Box& share, const View& from, const Box& box, std::byte* to) const;
    void convert(std::byte* voxels, std::size_t count) const;

    const InputFile& input_;
    Hdf5Process& process_;
    const Layout& layout_;
    Pipeline filters_;
    std::array<std::int64_t, 3> steps_{};  // bytes between adjacent elements of a chunk along x, y, z
    std::int64_t volume_offset_ = 0;       // bytes from the start of a chunk (or contiguous dataset) to the volume
    ChunkNumbers located_;                 // chunks whose positions are in locations_
    std::vector<ChunkLocation> locations_;
    std::vector<std::byte> packed_, chunk_, voxels_, fill_row_;
};

}  // namespace voxcc::io::hdf5
