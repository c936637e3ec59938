// One volume of an array, read in boxes from its chunks on several threads.
#pragma once
#include <voxcc/threads.h>
#include "io/chunked_reader.h"
#include "io/formats/zarr/chunk_grid.h"

#include <mutex>

namespace voxcc::io::zarr {

/// The axes of an array that are the axes of a volume, and the position of the volume on all other axes.
struct VolumeAxes {
    std::optional<std::size_t> z;  // empty for a single slice
    std::size_t y = 0, x = 0;
    std::vector<std::int64_t> start;  // one per axis of the array; 0 along x, y and z
};

/// Reads the voxels of a volume. Not thread-safe; uses its own threads.
class VolumeChunks {
public:
    /// @param store, array must outlive this object
    VolumeChunks(const Store& store, const std::string& array_path, const ArrayMetadata& array, VolumeAxes axes);
    std::int64_t depth() const { return axes_.z ? array_.chunk[*axes_.z] : 1; }
    std::int64_t height() const { return array_.chunk[axes_.y]; }
    std::int64_t width() const { return array_.chunk[axes_.x]; }
    /// Decodes chunks on up to this number of threads from now on.
    void use_threads(int threads);
    /// The memory of read() and visit() with one thread, and of each further thread, in bytes.
    std::int64_t first_thread_bytes() const { return grid_.shared_bytes() + thread_bytes(); }
    std::int64_t thread_bytes() const;
    /// Reads a box of complete rows into `to`. @throw Error about the content, io_error. The error is of the first chunk that has one.
    void read(const Box& box, std::byte* to);
    /// Calls `visit` for all voxels of a box of complete rows. @throw Error as read(), and errors of `visit`
    void visit(const Box& box, const PartVisitor& visit, Visits visits);

private:
    /// Voxels of a box in memory: the first, and the bytes to the next along each axis. All steps are 0 for a chunk that is not stored.
    struct View {
        const std::byte* first;
        std::int64_t x_step, row_step, slice_step;
    };
    struct Worker {
        ChunkGrid::Scratch scratch;
        std::vector<std::byte> rows;  // of a chunk whose rows are not stored one by one
    };
    template <class Use>
    void each_chunk(const Box& box, const Use& use);
    View load(const Box& share, Worker& worker);
    View with_rows(const Box& share, const View& from, Worker& worker) const;
    void copy_rows(const Box& share, const View& from, std::byte* to, std::int64_t row_step, std::int64_t slice_step) const;

    const ArrayMetadata& array_;
    VolumeAxes axes_;
    ChunkGrid grid_;
    std::int64_t voxel_, ny_;
    std::array<std::int64_t, 3> steps_{};  // bytes between adjacent voxels of a chunk along x, y, z
    std::int64_t volume_offset_ = 0;       // bytes from the start of a chunk to the volume
    std::unique_ptr<ThreadPool> pool_;     // null: the calling thread
    std::vector<Worker> workers_;
    std::mutex visiting_;  // in turn
};

}  // namespace voxcc::io::zarr
