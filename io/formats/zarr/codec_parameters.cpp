#include "io/formats/zarr/codec_parameters.h"

#include "io/formats/zarr/array_parts.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr std::array<std::pair<std::string_view, CodecKind>, 11> kinds{{{"blosc", CodecKind::blosc},
                                                                        {"zstd", CodecKind::zstd},
                                                                        {"gzip", CodecKind::gzip},
                                                                        {"zlib", CodecKind::zlib},
                                                                        {"lz4", CodecKind::lz4},
                                                                        {"bz2", CodecKind::bz2},
                                                                        {"shuffle", CodecKind::shuffle},
                                                                        {"crc32c", CodecKind::crc32c},
                                                                        {"crc32", CodecKind::crc32},
                                                                        {"adler32", CodecKind::adler32},
                                                                        {"fletcher32", CodecKind::fletcher32}}};

std::string short_text(const std::optional<JsonValue>& value, std::size_t most) {
    return value && value->is_text() ? value->text().substr(0, most) : "";
}

std::int64_t element_of(const std::optional<JsonValue>& size) {
    constexpr std::int64_t of_numcodecs = 4;
    if (!size) return of_numcodecs;
    if (size->integer() == 0) size->refuse("it must be a positive number");
    return size->integer();
}

Codec::At location_of(const std::optional<JsonValue>& location) {
    if (!location) return Codec::At::start;
    if (location->text() != "start" && location->text() != "end") location->refuse("it must be start or end");
    return location->text() == "start" ? Codec::At::start : Codec::At::end;
}

/// Differences between neighbours. numcodecs can store them in another type, or as floats, which is not read.
Codec parse_delta(const JsonValue& filter) {
    const StoredType type = parse_dtype(filter.at("dtype"));
    const auto stored = filter.find("astype");
    const bool is_same = !stored || stored->json() == filter.at("dtype").json();
    if (!is_same || type.type.name.starts_with("float") || type.type.name == "bool")
        filter.refuse("differences (delta) are read as integers of one type only", ErrorKind::unsupported_file);
    return {.kind = CodecKind::delta, .name = "delta", .element = type.type.bytes(), .byte_order = type.byte_order};
}

Codec parse_v2(const JsonValue& object, const std::string& what) {
    const std::string id = object.at("id").text();
    if (id == "delta") return parse_delta(object);
    const auto codec = find_codec(id, [&](const std::string& key) { return object.find(key); });
    if (!codec || codec->kind == CodecKind::crc32c)  // versions of numcodecs store this checksum in different places
        object.refuse("the " + what + " '" + id.substr(0, 40) + "' is not read", ErrorKind::unsupported_file);
    return *codec;
}

}  // namespace

std::optional<Codec> find_codec(std::string_view name, const FindParameter& parameter) {
    const auto found = std::ranges::find(kinds, name, &std::pair<std::string_view, CodecKind>::first);
    if (found == kinds.end()) return {};
    Codec codec{.kind = found->second, .name = std::string(name)};
    constexpr std::size_t most_characters = 20;
    if (const std::string variant = short_text(parameter("cname"), most_characters); !variant.empty()) codec.name += " " + variant;
    if (codec.kind == CodecKind::shuffle) codec.element = element_of(parameter("elementsize"));
    if (codec.kind == CodecKind::crc32 || codec.kind == CodecKind::adler32) codec.at = location_of(parameter("location"));
    return codec;
}

std::vector<Codec> parse_codecs_v2(const JsonValue& metadata) {
    std::vector<Codec> codecs;
    if (const auto filters = metadata.find("filters"); filters && !filters->is_null())
        for (const JsonValue& filter : filters->items()) codecs.push_back(parse_v2(filter, "filter"));
    const JsonValue compressor = metadata.at("compressor");
    if (!compressor.is_null()) codecs.push_back(parse_v2(compressor, "compressor"));
    refuse_two_compressors(metadata, codecs);
    return codecs;
}

void refuse_two_compressors(const JsonValue& list, const std::vector<Codec>& codecs) {
    const auto count = std::ranges::count_if(codecs, [](const Codec& codec) { return is_compressor(codec.kind); });
    if (count > 1) list.refuse("two compressors are not read", ErrorKind::unsupported_file);
}

}  // namespace voxcc::io::zarr
