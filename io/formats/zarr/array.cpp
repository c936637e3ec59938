#include "io/formats/zarr/array.h"

#include "io/formats/zarr/array_parts.h"
#include "io/formats/zarr/codec_parameters.h"

#include <algorithm>
#include <numeric>

namespace voxcc::io::zarr {
namespace {

constexpr std::size_t most_axes = 8;
constexpr std::int64_t largest_chunk = std::int64_t{1} << 30, most_chunks_per_shard = std::int64_t{1} << 22;
constexpr std::int64_t most_voxels = std::int64_t{1} << 41;

/// @return the product of `factor` and all extents; empty if it exceeds 2^63 - 1
std::optional<std::int64_t> product(const std::vector<std::int64_t>& extents, std::int64_t factor) {
    for (const std::int64_t n : extents)
        if (__builtin_mul_overflow(factor, n, &factor)) return {};
    return factor;
}

bool has_zero(const std::vector<std::int64_t>& extents) { return std::ranges::find(extents, 0) != extents.end(); }

void check_sharding(const ArrayMetadata& array, const JsonValue& metadata) {
    std::int64_t chunks = 1;
    for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
        if (array.sharding->shard[axis] % array.chunk[axis] != 0) metadata.refuse("the chunks do not divide the shards");
        const bool overflow = __builtin_mul_overflow(chunks, array.sharding->shard[axis] / array.chunk[axis], &chunks);
        if (overflow || chunks > most_chunks_per_shard)
            metadata.refuse("a shard has more than 4,194,304 chunks", ErrorKind::unsupported_file);
    }
}

/// The checks that both versions need. Nothing is allocated by shape or chunk before them.
void check_array(const ArrayMetadata& array, const JsonValue& metadata) {
    const std::size_t rank = array.shape.size();
    if (rank == 0) metadata.refuse("holds one number without axes, and not an image", ErrorKind::unsupported_file);
    if (rank > most_axes) metadata.refuse("has more than 8 axes", ErrorKind::unsupported_file);
    const std::vector<std::int64_t>& unit = array.stored_unit();
    if (array.chunk.size() != rank || unit.size() != rank) metadata.refuse("the chunks have another number of axes than the array");
    if (has_zero(array.shape)) metadata.refuse("the array has no elements");
    if (has_zero(array.chunk) || has_zero(unit)) metadata.refuse("a chunk has no elements");
    const auto bytes = product(array.shape, 8), chunk = product(array.chunk, 8);
    if (!bytes || !product(unit, 8)) metadata.refuse("the shape is too large: more than 2^63 bytes");
    if (*bytes / 8 > most_voxels) metadata.refuse("the array has more than 2^41 elements", ErrorKind::unsupported_file);
    if (!chunk || *chunk / 8 * array.type.bytes() > largest_chunk)
        metadata.refuse("a chunk has more than 1 GiB", ErrorKind::unsupported_file);
    if (array.sharding) check_sharding(array, metadata);
}

}  // namespace

std::int64_t ArrayMetadata::chunk_bytes() const { return *product(chunk, type.bytes()); }

std::int64_t ArrayMetadata::stored_units() const {
    std::int64_t units = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) units *= (shape[axis] - 1) / stored_unit()[axis] + 1;
    return units;
}

std::string ArrayMetadata::compression() const {
    for (const Codec& codec : codecs)
        if (is_compressor(codec.kind)) return codec.name;
    return "none";
}

ArrayMetadata parse_array_v2(const JsonValue& metadata, const nlohmann::json& attributes) {
    ArrayMetadata array;
    if (metadata.at("zarr_format").integer() != 2) metadata.refuse("'zarr_format' must be 2");
    array.format = 2;
    array.shape = metadata.at("shape").integers();
    array.chunk = metadata.at("chunks").integers();
    const StoredType stored = parse_dtype(metadata.at("dtype"));
    array.type = stored.type;
    array.byte_order = stored.byte_order;
    array.codecs = parse_codecs_v2(metadata);
    const std::string order = metadata.at("order").text();
    if (order != "C" && order != "F") metadata.at("order").refuse("it must be C or F");
    array.order.resize(array.shape.size());
    std::iota(array.order.begin(), array.order.end(), std::size_t{0});
    if (order == "F") std::ranges::reverse(array.order);
    if (const auto separator = metadata.find("dimension_separator"); separator && !separator->is_null())
        array.keys.separator = parse_separator(*separator);
    check_array(array, metadata);
    const JsonValue fill = metadata.at("fill_value");
    if (fill.is_null()) array.warnings.push_back("has no fill value; voxels of missing chunks are 0");
    array.fill = parse_fill(fill, array.type);
    array.attributes = attributes;
    array.axis_names.resize(array.shape.size());
    const JsonValue own(array.attributes, metadata.subject());
    if (const auto names = own.find("_ARRAY_DIMENSIONS"); names && names->is_array() && names->items().size() == array.shape.size())
        for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
            if (const JsonValue name = names->items()[axis]; name.is_text()) array.axis_names[axis] = name.text();
    return array;
}

ArrayMetadata parse_array_v3(const JsonValue& metadata) {
    ArrayMetadata array;
    array.format = 3;
    refuse_unknown_members(metadata, {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value",
                                      "codecs", "attributes", "storage_transformers", "dimension_names"});
    if (const auto transformers = metadata.find("storage_transformers"); transformers && !transformers->items().empty())
        transformers->refuse("storage transformers are not read", ErrorKind::unsupported_file);
    array.shape = metadata.at("shape").integers();
    array.type = parse_data_type(metadata.at("data_type"));
    const NamedConfiguration grid(metadata.at("chunk_grid"));
    if (grid.name() != "regular") grid.refuse("chunk grids of the kind '" + grid.name() + "' are not read");
    const std::vector<std::int64_t> unit = grid.at("chunk_shape").integers();
    array.keys = parse_key_encoding(metadata.at("chunk_key_encoding"));
    if (unit.size() != array.shape.size()) metadata.refuse("the chunks have another number of axes than the array");
    parse_codecs(metadata.at("codecs"), unit, array);
    check_array(array, metadata);
    array.fill = parse_fill(metadata.at("fill_value"), array.type);
    array.axis_names.resize(array.shape.size());
    if (const auto names = metadata.find("dimension_names"); names && !names->is_null()) {
        const std::vector<JsonValue> items = names->items();
        if (items.size() != array.shape.size()) names->refuse("it must have one name per axis");
        for (std::size_t axis = 0; axis < items.size(); ++axis)
            if (!items[axis].is_null()) array.axis_names[axis] = items[axis].text();
    }
    const auto attributes = metadata.find("attributes");
    array.attributes = attributes ? attributes->json() : nlohmann::json::object();
    return array;
}

void refuse_unknown_members(const JsonValue& metadata, std::initializer_list<std::string_view> known) {
    for (const auto& [key, member] : metadata.json().items()) {
        if (std::ranges::find(known, key) != known.end()) continue;
        const bool optional = member.is_object() && member.value("must_understand", nlohmann::json(true)) == false;
        if (!optional) metadata.refuse("the extension '" + key + "' is not known", ErrorKind::unsupported_file);
    }
}

}  // namespace voxcc::io::zarr
