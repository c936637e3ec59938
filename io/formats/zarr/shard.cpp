#include "io/formats/zarr/shard.h"

#include "io/formats/zarr/codecs.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace voxcc::io::zarr {
namespace {

constexpr std::int64_t checksum_bytes = 4, entry_bytes = 16;
constexpr std::int64_t cache_bytes = std::int64_t{64} << 20;
constexpr std::size_t most_open_shards = 256;  // each has an open file

std::int64_t chunks_per_shard(const ArrayMetadata& array) {
    std::int64_t chunks = 1;
    for (std::size_t axis = 0; axis < array.shape.size(); ++axis) chunks *= array.sharding->shard[axis] / array.chunk[axis];
    return chunks;
}

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t offset, std::endian order) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t(bytes[offset + i]) << 8 * (order == std::endian::little ? i : 7 - i);
    return number;
}

/// Compares the checksum at the end of a shard with all bytes before it.
void check_shard(const Blob& blob) {
    std::vector<std::byte> bytes(std::size_t{1} << 20);
    std::uint32_t crc = 0;
    const std::int64_t content = blob.size() - checksum_bytes;
    for (std::int64_t at = 0; at < content; at += std::int64_t(bytes.size())) {
        const auto part = std::span(bytes).first(std::size_t(std::min<std::int64_t>(content - at, std::int64_t(bytes.size()))));
        blob.read(at, part);
        crc = crc32c(crc, part);
    }
    std::array<std::byte, checksum_bytes> stored{};
    blob.read(content, stored);
    for (std::size_t i = 0; i < stored.size(); ++i)
        if (stored[i] != std::byte(crc >> 8 * i)) throw Error(ErrorKind::corrupt_file, blob.name(), "has a wrong checksum (crc32c)");
}

/// The bytes of a shard that hold chunks.
struct ShardContent {
    std::uint64_t begin = 0, end = 0;
};

ShardRange range_of(std::uint64_t offset, std::uint64_t bytes, const ShardContent& content, std::int64_t most, const Blob& blob) {
    constexpr std::uint64_t absent = ~std::uint64_t{0};
    if (offset == absent && bytes == absent) return {};
    if (offset < content.begin || bytes > content.end || offset > content.end - bytes)
        throw Error(ErrorKind::wrong_size, blob.name(), "its index leads outside of its chunks");
    if (bytes == 0) throw Error(ErrorKind::invalid_file, blob.name(), "its index states a chunk without bytes");
    if (std::int64_t(bytes) > most) throw Error(ErrorKind::invalid_file, blob.name(), "its index states a chunk that is too long");
    return {std::int64_t(offset), std::int64_t(bytes)};
}

/// Chunks may share all bytes, because a program can store equal chunks once.
void require_separate(const std::vector<ShardRange>& chunks, const Blob& blob) {
    std::vector<ShardRange> stored;
    std::ranges::copy_if(chunks, std::back_inserter(stored), [](const ShardRange& range) { return range.bytes > 0; });
    std::ranges::sort(stored, {}, [](const ShardRange& range) { return std::pair(range.offset, range.bytes); });
    const auto overlap = [](const ShardRange& a, const ShardRange& b) {
        return a.offset + a.bytes > b.offset && (a.offset != b.offset || a.bytes != b.bytes);
    };
    if (std::ranges::adjacent_find(stored, overlap) != stored.end())
        throw Error(ErrorKind::invalid_file, blob.name(), "its index states chunks that overlap");
}

}  // namespace

Shard open_shard(const Store& store, const std::string& key, const ArrayMetadata& array) {
    Shard shard{store.open(key), {}};
    if (!shard.blob) return shard;
    const Blob& blob = *shard.blob;
    const Sharding& sharding = *array.sharding;
    const bool has_index_sum = sharding.of_index == Sharding::Checksum::crc32c,
               has_shard_sum = sharding.of_shard == Sharding::Checksum::crc32c;
    const std::int64_t chunks = chunks_per_shard(array), index = entry_bytes * chunks + (has_index_sum ? checksum_bytes : 0);
    const std::int64_t content = blob.size() - (has_shard_sum ? checksum_bytes : 0);
    if (content < index)
        throw Error(ErrorKind::wrong_size, blob.name(),
                    "has " + std::to_string(blob.size()) + " bytes, fewer than its index of " + std::to_string(index) + " bytes");
    blob.check();
    if (has_shard_sum) check_shard(blob);
    std::vector<std::byte> bytes(static_cast<std::size_t>(index));
    blob.read(sharding.index_at == Sharding::IndexAt::start ? 0 : content - index, bytes);
    if (has_index_sum && !ends_with_checksum(bytes))
        throw Error(ErrorKind::corrupt_file, blob.name(), "the index of the shard has a wrong checksum (crc32c)");
    const std::int64_t most = most_encoded(array.chunk_bytes());
    const bool is_at_start = sharding.index_at == Sharding::IndexAt::start;
    const ShardContent of_chunks{is_at_start ? std::uint64_t(index) : 0, std::uint64_t(is_at_start ? content : content - index)};
    shard.chunks.reserve(std::size_t(chunks));
    for (std::size_t i = 0; i < std::size_t(chunks); ++i) {
        const std::uint64_t offset = number_at(bytes, entry_bytes * i, sharding.index_byte_order);
        const std::uint64_t length = number_at(bytes, entry_bytes * i + 8, sharding.index_byte_order);
        shard.chunks.push_back(range_of(offset, length, of_chunks, most, blob));
    }
    require_separate(shard.chunks, blob);
    return shard;
}

ShardCache::ShardCache(const Store& store, const ArrayMetadata& array)
    : store_(store), array_(array), bytes_per_shard_(chunks_per_shard(array) * std::int64_t(sizeof(ShardRange))) {
    most_shards_ = std::size_t(std::clamp<std::int64_t>(cache_bytes / bytes_per_shard_, 1, most_open_shards));
}

std::shared_ptr<const Shard> ShardCache::shard(const std::string& key) {
    std::shared_ptr<Slot> slot;
    {
        const std::lock_guard lock(mutex_);
        auto& found = slots_[key];
        if (!found) found = std::make_shared<Slot>();
        slot = found;
        slot->used = ++uses_;
        if (slots_.size() > most_shards_)
            slots_.erase(std::ranges::min_element(slots_, {}, [](const auto& entry) { return entry.second->used; }));
    }
    const std::lock_guard lock(slot->mutex);
    if (!slot->shard) slot->shard = std::make_shared<const Shard>(open_shard(store_, key, array_));
    return slot->shard;
}

}  // namespace voxcc::io::zarr
