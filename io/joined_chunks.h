// Label volumes that can be put together from chunks that are compressed already.
#pragma once
#include "io/io.h"

namespace voxcc::io {

/// The form of compressed chunks: frames of ChunkCompressor, of consecutive labels in little-endian order.
struct ChunkForm {
    Extent chunk;  // voxels, completed with 0 at the ends of the volume
    ScalarType type;
    int level;  // of zstd
    bool operator==(const ChunkForm&) const = default;
};

/// Appends the frame of the chunk that begins at this voxel of the volume; nothing if all of its voxels are 0.
using AppendChunk = std::function<void(const Extent& first, std::vector<std::byte>& to)>;

/// A LabelWriter that stores chunks as such frames.
class JoinsChunks {
public:
    virtual ~JoinsChunks() = default;
    /// Empty: chunks are not compressed.
    virtual std::optional<ChunkForm> chunk_form() const = 0;
    /// Puts a block together, in place of LabelWriter::encode(). Thread-safe.
    /// @param chunks of the form chunk_form(), which must not be empty @throw the exceptions of `chunks`
    virtual EncodedBlock join(std::int64_t block, const AppendChunk& chunks) const = 0;
};

}  // namespace voxcc::io
