// The reading of rows and layers from volumes that are stored in chunks (HDF5, Zarr). A format reads boxes of voxels.
#pragma once
#include "io/io.h"

namespace voxcc::io {

/// A box of voxels: slices [z, z + nz), rows [y, y + ny), columns [x, x + nx).
struct Box {
    std::int64_t z = 0, nz = 0, y = 0, ny = 0, x = 0, nx = 0;
    std::size_t voxels() const { return std::size_t(nx * ny * nz); }
};

/// A reader that reads boxes of complete rows, each of which is a number of complete chunk layers where that is possible.
class ChunkedReader : public VolumeReader {
public:
    /// Accepts ranges in any order.
    void read_rows(RowRange rows, std::byte* to) override;
    void rewind() override;
    std::int64_t rows_per_read() const override { return rows_per_read_; }
    std::optional<Layer> layer_of(std::int64_t row) const override;
    void read_layer(RowRange layer, const PartVisitor& visit, Visits visits) override;
    /// See read_chunks_of() below.
    bool read_chunks_of(const Box& box, const PartVisitor& visit, Visits visits);

protected:
    /// The slices and rows that are read together, so that each chunk is decoded once.
    struct Step {
        std::int64_t depth = 1, height = 1;
    };
    /// Must be called once, after info_ is complete. Without this call, the volume has no chunks, and only the requested rows are read.
    /// @param read for read_rows(), which returns voxels. @param layer for read_layer()
    void read_by_chunks(const Step& read, const Step& layer);
    /// Reads a box of complete rows into `to`, in host byte order. @throw Error about the content, io_error
    virtual void read_box(const Box& box, std::byte* to) = 0;
    /// The memory of visit_box() in bytes; empty if the volume has no layers.
    virtual std::optional<std::int64_t> bytes_of_parts() const = 0;
    /// Calls `visit` for each voxel of a box. @throw Error as read_box(), and errors of `visit`
    /// @param box its first column must be a result of first_column()
    virtual void visit_box(const Box& box, const PartVisitor& visit, Visits visits) = 0;
    /// The last column, at most `x`, with which a box of visit_box() can start.
    virtual std::int64_t first_column(std::int64_t x) const = 0;

private:
    std::int64_t rows_together(const Step& step, std::int64_t most) const;
    RowRange rows_around(std::int64_t row, std::int64_t height) const;
    RowRange read_together(RowRange rows) const;
    Box box_of(RowRange rows) const;

    bool has_chunks_ = false;
    std::int64_t rows_per_read_ = 1, rows_per_layer_ = 1;
    std::vector<std::byte> chunk_layer_;  // decoded rows of kept_, if only a part of them was requested
    RowRange kept_;
};

/// Calls `visit` for parts of rows that contain each voxel of a box once, and for other voxels of the same rows. Reads the chunks of the
/// box and few others. Boxes may be read in any order.
/// @param visits as in VolumeReader::read_layer()
/// @return false if the volume is not stored in chunks; then `visit` is not called
/// @throw Error as VolumeReader::read_layer(), and errors of `visit`
bool read_chunks_of(VolumeReader& reader, const Box& box, const PartVisitor& visit, Visits visits);

}  // namespace voxcc::io
