// Targets for Zarr stores: metadata, the codecs of a chunk, a shard with its index, and archives.
#include "io/formats/zarr/codecs.h"
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace voxcc::fuzz {
namespace {

namespace fs = std::filesystem;
using io::zarr::CodecKind;

Input bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

/// The path of a new folder of this process.
std::string new_store(const char* name) {
    const std::string path = scratch(name);
    fs::create_directories(path);
    return path;
}

constexpr std::string_view next_file = "\n==next file==\n";

/// The documents of an input, in the order of `names`; missing ones are left out.
void put_documents(Input input, const std::string& store, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const auto end = std::search(input.begin(), input.end(), next_file.begin(), next_file.end(),
                                     [](std::uint8_t a, char b) { return a == std::uint8_t(b); });
        const auto length = std::size_t(end - input.begin());
        if (length > 0) put_scratch(store + "/" + name, input.first(length));
        else fs::remove(scratch(store + "/" + name));
        input = length == input.size() ? Input() : input.subspan(length + next_file.size());
    }
}

constexpr std::string_view sharded = R"({"zarr_format":3,"node_type":"array","shape":[4,6,6],"data_type":"uint16","fill_value":1,
"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4,8,8]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"."}},
"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4,4],"index_location":"INDEX",
"codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]})";

std::string put_sharded(const char* name, const std::string& location) {
    std::string metadata(sharded);
    metadata.replace(metadata.find("INDEX"), 5, location);
    new_store(name);
    put_scratch(std::string(name) + "/zarr.json", bytes_of(metadata));
    return name;
}

/// The documents of a group with two arrays and two chunks.
void run_zarr_metadata(Input input) {
    static const std::string store = [] {
        for (const char* folder : {"m.zarr", "m.zarr/0", "m.zarr/0/c", "m.zarr/labels"}) new_store(folder);
        return scratch("m.zarr");
    }();
    put_documents(input, "m.zarr", {"zarr.json", ".zattrs", ".zarray", "0/zarr.json", "0/.zarray", "0/.zattrs", "0/0.0.0", "0/c/0"});
    accepts([&] { read_as_program(store); });
    accepts([&] { read_as_program(store + "/0"); });
}

/// The first byte chooses the codecs, the second the length of the chunk.
void run_zarr_chunk(Input input) {
    static const std::vector<std::vector<io::zarr::Codec>> lists{
        {},
        {{CodecKind::blosc, "blosc"}},
        {{CodecKind::zstd, "zstd"}},
        {{CodecKind::gzip, "gzip"}},
        {{CodecKind::zlib, "zlib"}},
        {{CodecKind::lz4, "lz4"}},
        {{CodecKind::crc32c, "crc32c"}, {CodecKind::blosc, "blosc"}},
        {{CodecKind::zstd, "zstd"}, {CodecKind::crc32c, "crc32c"}},
    };
    if (input.size() < 2) return;
    std::vector<std::byte> stored(input.size() - 2), spare, raw(std::size_t{8} * (1 + input[1]));
    std::ranges::transform(input.subspan(2), stored.begin(), [](std::uint8_t b) { return std::byte(b); });
    accepts([&] { io::zarr::decode(lists[input[0] % lists.size()], stored, spare, raw, "chunk"); });
}

/// The first byte chooses the place of the index; the rest is the shard.
void run_zarr_shard(Input input) {
    static const std::string at_end = put_sharded("end.zarr", "end"), at_start = put_sharded("start.zarr", "start");
    if (input.empty()) return;
    const std::string& store = input[0] % 2 == 0 ? at_end : at_start;
    put_scratch(store + "/0.0.0", input.subspan(1));
    accepts([&] { read_as_program(scratch(store)); });
}

void run_zarr_zip(Input input) {
    const std::string path = put_scratch("x.ozx", input);
    accepts([&] { read_as_program(path); });
}

const Registered zarr_metadata(
    {.name = "zarr_metadata", .run = run_zarr_metadata, .longest = 8192, .mutate = mutate_documents, .dictionary = "zarr.dict"});
const Registered zarr_chunk({.name = "zarr_chunk", .run = run_zarr_chunk, .longest = 2048});
const Registered zarr_shard({.name = "zarr_shard", .run = run_zarr_shard, .longest = 1024, .mutate = mutate_shard});
const Registered zarr_zip({.name = "zarr_zip", .run = run_zarr_zip, .longest = 8192, .mutate = mutate_zip});

}  // namespace
}  // namespace voxcc::fuzz
