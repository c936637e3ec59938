// Shards: files with several chunks and an index (codec sharding_indexed of Zarr v3).
// https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/
//
//   index at the end:    chunk | chunk | ... | (offset, bytes) per chunk, 16 bytes each | crc32c
//   index at the start:  (offset, bytes) per chunk | crc32c | chunk | chunk | ...
// Offsets count from the start of the file. The numbers 2^64 - 1, 2^64 - 1 stand for a chunk that is not stored.
#pragma once
#include "io/formats/zarr/array.h"

#include <map>
#include <memory>
#include <mutex>

namespace voxcc::io::zarr {

/// Bytes [offset, offset + bytes) of a shard.
struct ShardRange {
    std::int64_t offset = 0, bytes = 0;
};

/// An open shard with its index, or the knowledge that the file does not exist.
struct Shard {
    std::shared_ptr<const Blob> blob;  // null: not stored
    std::vector<ShardRange> chunks;    // in the order of the index; bytes 0: not stored
};

/// Opens a shard, and reads and checks its index. @throw Error wrong_size, corrupt_file, invalid_file
Shard open_shard(const Store& store, const std::string& key, const ArrayMetadata& array);

/// The shards that were used last. Thread-safe.
class ShardCache {
public:
    /// @param store, array must outlive this object
    ShardCache(const Store& store, const ArrayMetadata& array);
    /// Opens a shard once, also if several threads need it. @throw Error as open_shard()
    std::shared_ptr<const Shard> shard(const std::string& key);
    /// The memory of the indices, in bytes.
    std::int64_t memory_bytes() const { return std::int64_t(most_shards_) * bytes_per_shard_; }

private:
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const Shard> shard;
        std::uint64_t used = 0;
    };
    const Store& store_;
    const ArrayMetadata& array_;
    std::int64_t bytes_per_shard_;
    std::size_t most_shards_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Slot>> slots_;
    std::uint64_t uses_ = 0;
};

}  // namespace voxcc::io::zarr
