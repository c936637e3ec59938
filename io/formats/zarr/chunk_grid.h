// The chunks of an array: their keys, which of them are stored, and their voxels.
#pragma once
#include "io/formats/zarr/shard.h"

namespace voxcc::io::zarr {

/// @param index of the unit along each axis, slowest axis first
// "0", {1, 2, 3}, {Prefix::c, '/'}  ->  "0/c/1/2/3"
std::string key_of(const std::string& array_path, const std::vector<std::int64_t>& index, const KeyStyle& keys);

/// Counts the shards, or the chunks of an array without shards, that have a key. Lists folders, and opens no key.
/// @throw Error invalid_file if no chunk is stored under its key, but chunks are stored under keys with the other separator
std::int64_t count_stored(const Store& store, const std::string& array_path, const ArrayMetadata& array);

/// Decodes the chunks of an array. load() is thread-safe.
class ChunkGrid {
public:
    /// The buffers of one thread.
    struct Scratch {
        std::vector<std::byte> stored, spare;
        std::vector<std::byte> voxels;  // of the chunk, in host byte order, in the order of its elements
    };
    /// @param store, array must outlive this object
    ChunkGrid(const Store& store, std::string array_path, const ArrayMetadata& array);
    /// Reads a chunk into scratch.voxels. @param index of the chunk along each axis @return false if it is not stored
    /// @throw Error about the content, io_error
    bool load(const std::vector<std::int64_t>& index, Scratch& scratch);
    /// The memory of load(), in bytes: of all threads together, and of each thread.
    std::int64_t shared_bytes() const { return shards_ ? shards_->memory_bytes() : 0; }
    std::int64_t scratch_bytes() const;

private:
    bool read_stored(const std::vector<std::int64_t>& index, Scratch& scratch, std::string& name);
    const Store& store_;
    std::string path_;
    const ArrayMetadata& array_;
    std::unique_ptr<ShardCache> shards_;
};

}  // namespace voxcc::io::zarr
