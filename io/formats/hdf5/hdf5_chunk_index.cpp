#include "io/formats/hdf5/hdf5_chunk_index.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::string_view signature("TREE\1", 5);  // of a node of a chunk index
constexpr std::size_t level_at = 5, entries_at = 6, header_bytes = 8;

struct StoredChunk {
    std::vector<hsize_t> first;  // element along each axis
    std::int64_t number = 0;     // of all positions of chunks in the dataset, 0-based
    std::uint64_t address = 0, bytes = 0;
};

/// The chunks of the nodes that the library reads.
class ChunkIndex {
public:
    ChunkIndex(const File& file, const StoredDataset& dataset, std::size_t address_bytes)
        : file_(file), dataset_(dataset), address_bytes_(address_bytes) {}

    /// @param at offset of the node. @throw Error about the content
    void add(std::int64_t at, std::span<const std::byte> node) {
        if (node.size() < header_bytes || std::memcmp(node.data(), signature.data(), signature.size()) != 0) return;
        if (!seen_.insert(at).second) return;
        const bool is_leaf = node[level_at] == std::byte{};
        const std::uint64_t entries = number(node, entries_at, 2);
        std::size_t position = header_bytes + 2 * address_bytes_;
        const std::size_t key_bytes = 8 + 8 * (dataset_.shape.size() + 1);
        if (node.size() < position + entries * (key_bytes + address_bytes_) + key_bytes) throw damaged("has a truncated node");
        for (std::uint64_t i = 0; i <= entries; ++i, position += key_bytes + address_bytes_) {
            StoredChunk chunk = read_key(node.subspan(position, key_bytes));
            if (!is_leaf || i == entries) continue;
            if (skips_checksum(std::uint32_t(number(node, position + 4, 4)))) throw damaged("has a chunk without its checksum");
            chunk.address = number(node, position + key_bytes, address_bytes_);
            add(std::move(chunk), number(node, position + key_bytes - 8, 8));
        }
    }

    /// @param total bytes of all chunks, as the library has counted them. @throw Error about the content
    void check(std::uint64_t total) {
        if (seen_.empty()) return;
        std::uint64_t bytes = 0;
        for (const StoredChunk& chunk : chunks_) bytes += chunk.bytes;
        if (bytes != total) throw damaged("uses a node twice");
        require_found();
        std::ranges::sort(chunks_, {}, &StoredChunk::number);
        if (std::ranges::adjacent_find(chunks_, {}, &StoredChunk::number) != chunks_.end())
            throw damaged("has two chunks for the same voxels");
        std::ranges::sort(chunks_, {}, &StoredChunk::address);
        const auto overlap = [](const StoredChunk& a, const StoredChunk& b) { return a.bytes > b.address - a.address; };
        if (std::ranges::adjacent_find(chunks_, overlap) != chunks_.end()) throw damaged("has two chunks in the same bytes of the file");
    }

private:
    Error damaged(const std::string& what) const {
        return {ErrorKind::invalid_file, file_.path(), "the index of the chunks of " + dataset_.path + " " + what};
    }

    static std::uint64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t(bytes[at + i]) << 8 * i;
        return value;
    }

    // The library never omits a checksum, but a program can store a chunk without any filter.
    // @param skipped bit k is set if filter k was not applied
    bool skips_checksum(std::uint32_t skipped) const {
        bool skips = false, applies = false;
        for (std::size_t k = 0; k < std::min<std::size_t>(dataset_.filters.size(), 32); ++k) {
            const bool is_skipped = skipped >> k & 1;
            skips |= is_skipped && dataset_.filters[k].id == H5Z_FILTER_FLETCHER32;
            applies |= !is_skipped;
        }
        return skips && applies;
    }

    // Also the keys that belong to no chunk are multiples of the chunk size.
    StoredChunk read_key(std::span<const std::byte> key) const {
        StoredChunk chunk;
        chunk.bytes = number(key, 0, 4);
        for (std::size_t axis = 0; axis < dataset_.shape.size(); ++axis) {
            const hsize_t first = number(key, 8 + 8 * axis, 8);
            if (first % dataset_.chunk[axis] != 0)
                throw damaged("has a chunk that begins at " + std::to_string(first) + " along axis " + std::to_string(axis) +
                              ", not at a multiple of " + std::to_string(dataset_.chunk[axis]));
            chunk.first.push_back(first);
        }
        return chunk;
    }

    void add(StoredChunk&& chunk, std::uint64_t byte_of_element) {
        for (std::size_t axis = 0; axis < dataset_.shape.size(); ++axis) {
            if (chunk.first[axis] >= dataset_.shape[axis])
                throw damaged("has a chunk at " + std::to_string(chunk.first[axis]) + " along axis " + std::to_string(axis) +
                              ", which has " + std::to_string(dataset_.shape[axis]) + " elements");
            const hsize_t chunks = (dataset_.shape[axis] - 1) / dataset_.chunk[axis] + 1;
            chunk.number = chunk.number * std::int64_t(chunks) + std::int64_t(chunk.first[axis] / dataset_.chunk[axis]);
        }
        // The library takes a chunk of 0 bytes as one that is not stored.
        if (chunk.bytes == 0) throw damaged("has a chunk of 0 bytes");
        if (byte_of_element != 0) throw damaged("has a chunk that begins inside an element");
        chunks_.push_back(std::move(chunk));
    }

    void require_found() const {
        for (const StoredChunk& chunk : chunks_) {
            hsize_t bytes = 0;
            const herr_t result = H5Dget_chunk_storage_size(dataset_.id, chunk.first.data(), &bytes);
            if (result < 0 && !chunk_was_missing()) file_.check(result, "find a chunk of " + dataset_.path);
            if (result < 0 || bytes != chunk.bytes) throw damaged("is not in order: a search does not find all chunks");
        }
    }

    const File& file_;
    const StoredDataset& dataset_;
    std::size_t address_bytes_;
    std::set<std::int64_t> seen_;  // offsets of nodes
    std::vector<StoredChunk> chunks_;
};

}  // namespace

void check_chunk_index(const File& file, const StoredDataset& dataset) {
    const std::string action = "read the index of the chunks of " + dataset.path;
    const Id holder = file.own(H5Iget_file_id(dataset.id), action), properties = file.own(H5Fget_create_plist(holder), action);
    std::size_t address_bytes = 0, length_bytes = 0;
    file.check(H5Pget_sizes(properties, &address_bytes, &length_bytes), action);
    ChunkIndex index(file, dataset, address_bytes);
    hsize_t bytes = 0;
    file.watch_index([&](std::int64_t at, std::span<const std::byte> node) { index.add(at, node); },
                     [&] { bytes = H5Dget_storage_size(dataset.id); });
    index.check(bytes);
}

}  // namespace voxcc::io::hdf5
