#include "io/formats/zarr/chunk_grid.h"

#include "io/formats/zarr/codecs.h"
#include "io/samples.h"

#include <charconv>
#include <cstring>

namespace voxcc::io::zarr {
namespace {

using Index = std::vector<std::int64_t>;

/// The index in a name, if it is a whole number in the form that keys have.
std::optional<std::int64_t> index_in(std::string_view name) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool is_short = name.size() == 1 || !name.starts_with('0');
    if (error != std::errc{} || end != name.data() + name.size() || index < 0 || !is_short) return {};
    return index;
}

/// Counts keys with one separator.
class StoredKeys {
public:
    StoredKeys(const Store& store, const ArrayMetadata& array) : store_(store) {
        for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
            units_.push_back((array.shape[axis] - 1) / array.stored_unit()[axis] + 1);
    }

    std::int64_t count(const std::string& path, const KeyStyle& keys) {
        stored_ = 0;
        const bool has_c = keys.prefix == KeyStyle::Prefix::c;
        if (keys.separator == '/') count_nested(has_c ? joined(path, "c") : path, 0);
        else count_flat(path, has_c ? "c." : "");
        return stored_;
    }

private:
    bool is_valid(std::string_view name, std::size_t axis) const {
        const auto index = index_in(name);
        return index && *index < units_[axis];
    }

    void count_nested(const std::string& folder, std::size_t axis) {
        std::vector<std::string> folders;
        const bool is_last = axis + 1 == units_.size();
        store_.each_entry(folder, [&](const Entry& entry) {
            if (!is_valid(entry.name, axis)) return true;
            if (is_last && !entry.is_folder) ++stored_;
            if (!is_last && entry.is_folder) folders.push_back(entry.name);
            return true;
        });
        for (const std::string& name : folders) count_nested(joined(folder, name), axis + 1);
    }

    void count_flat(const std::string& folder, std::string_view prefix) {
        store_.each_entry(folder, [&](const Entry& entry) {
            std::string_view rest = entry.name;
            if (entry.is_folder || !rest.starts_with(prefix)) return true;
            rest.remove_prefix(prefix.size());
            for (std::size_t axis = 0; axis < units_.size(); ++axis) {
                const bool is_last = axis + 1 == units_.size();
                const std::size_t end = is_last ? rest.size() : rest.find('.');
                if (end == std::string_view::npos || !is_valid(rest.substr(0, end), axis)) return true;
                rest.remove_prefix(is_last ? end : end + 1);
            }
            ++stored_;
            return true;
        });
    }

    const Store& store_;
    std::vector<std::int64_t> units_;  // along each axis
    std::int64_t stored_ = 0;
};

}  // namespace

std::string key_of(const std::string& array_path, const Index& index, const KeyStyle& keys) {
    std::string key = keys.prefix == KeyStyle::Prefix::c ? "c" : "";
    for (const std::int64_t i : index) {
        if (!key.empty()) key += keys.separator;
        key += std::to_string(i);
    }
    return joined(array_path, key);
}

std::int64_t count_stored(const Store& store, const std::string& array_path, const ArrayMetadata& array) {
    StoredKeys keys(store, array);
    const std::int64_t stored = keys.count(array_path, array.keys);
    if (stored > 0 || array.shape.size() < 2) return stored;
    const KeyStyle other{array.keys.prefix, array.keys.separator == '/' ? '.' : '/'};
    if (keys.count(array_path, other) > 0)
        throw Error(ErrorKind::invalid_file, store.name_of(array_path),
                    std::string("its metadata state the separator '") + array.keys.separator + "', but its chunks are stored with '" +
                        other.separator + "'; correct the separator in the metadata");
    return 0;
}

ChunkGrid::ChunkGrid(const Store& store, std::string array_path, const ArrayMetadata& array)
    : store_(store), path_(std::move(array_path)), array_(array) {
    if (array.sharding) shards_ = std::make_unique<ShardCache>(store, array);
}

std::int64_t ChunkGrid::scratch_bytes() const {
    const std::int64_t stored = array_.chunk_bytes(), voxels = stored / array_.type.bytes() * size_of(array_.type.type);
    // The stored bytes, the bytes between two codecs or the temporary blocks of blosc, and the voxels.
    return (array_.codecs.empty() ? 1 : 2) * stored + voxels;
}

bool ChunkGrid::read_stored(const Index& index, Scratch& scratch, std::string& name) {
    if (!shards_) {
        const auto blob = store_.open(key_of(path_, index, array_.keys));
        if (!blob) return false;
        name = blob->name();
        if (blob->size() > most_encoded(array_.chunk_bytes()))
            throw Error(ErrorKind::wrong_size, name,
                        "has " + std::to_string(blob->size()) + " bytes, too many for a chunk of " + std::to_string(array_.chunk_bytes()) +
                            " bytes");
        scratch.stored.resize(std::size_t(blob->size()));
        blob->read_all(scratch.stored);
        return true;
    }
    const Sharding& sharding = *array_.sharding;
    Index shard(index.size());
    std::int64_t inside = 0;  // the number of the chunk in the shard
    for (const std::size_t axis : sharding.order) {
        const std::int64_t per_shard = sharding.shard[axis] / array_.chunk[axis];
        shard[axis] = index[axis] / per_shard;
        inside = inside * per_shard + index[axis] % per_shard;
    }
    const auto found = shards_->shard(key_of(path_, shard, array_.keys));
    if (!found->blob || found->chunks[std::size_t(inside)].bytes == 0) return false;
    const ShardRange range = found->chunks[std::size_t(inside)];
    name = found->blob->name();
    scratch.stored.resize(std::size_t(range.bytes));
    found->blob->read(range.offset, scratch.stored);
    return true;
}

bool ChunkGrid::load(const Index& index, Scratch& scratch) {
    std::string name;
    if (!read_stored(index, scratch, name)) return false;
    const std::int64_t bytes = array_.chunk_bytes(), elements = bytes / array_.type.bytes();
    scratch.voxels.resize(std::size_t(elements * size_of(array_.type.type)));
    const auto raw = std::span(scratch.voxels).first(std::size_t(bytes));
    decode(array_.codecs, scratch.stored, scratch.spare, raw, name);
    if (array_.byte_order != std::endian::native) swap_samples(raw, array_.type.bytes());
    if (array_.type.samples == Samples::halves) halves_to_floats(raw, scratch.voxels.data());
    return true;
}

}  // namespace voxcc::io::zarr
