// The chunks of label volumes: their shape and their compression in Zarr. Painted parts of a volume hold their labels in the same chunks,
// so that a Zarr output can be put together from them without compressing labels again.
#pragma once
#include <voxcc/volume.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;

namespace voxcc::io {

/// The voxels of a block of complete slices that is written at once.
constexpr std::int64_t voxels_per_label_block = std::int64_t{1} << 23;

/// The voxels that are compressed together. Complete slices of one chunk in depth have at most voxels_per_label_block voxels, or are one
/// slice.
// {512, 512, 512} -> {128, 128, 32}
Extent label_chunk(const Extent& volume);

/// Compresses chunks as frames of zstd with a checksum. The bytes are the same on every machine with the same version of zstd.
class ChunkCompressor {
public:
    /// @param level of zstd, at least 1 @throw Error out_of_memory
    explicit ChunkCompressor(int level);
    /// Appends the frame of a chunk. @throw Error out_of_memory
    void append(std::span<const std::byte> raw, std::vector<std::byte>& to);

private:
    struct FreeContext {
        void operator()(ZSTD_CCtx_s* context) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
    std::unique_ptr<std::byte[]> room_;  // for one frame
    std::size_t room_bytes_ = 0;
};

/// Cuts chunks out of rows of a volume. The voxels of a chunk that are outside of the volume are 0.
class ChunkCutter {
public:
    ChunkCutter(const Extent& volume, const Extent& chunk, ScalarType type);
    /// @param rows voxels of complete rows, with all rows of the chunk. @param first_row the first of them
    /// @param first the first voxel of the chunk, in the volume
    /// @return the voxels of the chunk, which stay valid until the next call; empty if all are 0
    std::span<std::byte> cut(std::span<const std::byte> rows, std::int64_t first_row, const Extent& first);

private:
    Extent volume_, chunk_;
    std::int64_t voxel_;  // bytes
    std::vector<std::byte> cut_;
};

}  // namespace voxcc::io
