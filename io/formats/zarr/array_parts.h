// The parts of the metadata of an array: types, fill values, codecs, keys.
#pragma once
#include "io/formats/zarr/array.h"

namespace voxcc::io::zarr {

/// An object {"name": NAME, "configuration": {...}}, or the name alone, as Zarr v3 writes extensions.
class NamedConfiguration {
public:
    explicit NamedConfiguration(const JsonValue& value);
    const std::string& name() const { return name_; }
    std::optional<JsonValue> find(const std::string& key) const;
    JsonValue at(const std::string& key) const;
    [[noreturn]] void refuse(const std::string& cause, ErrorKind kind = ErrorKind::unsupported_file) const { value_.refuse(cause, kind); }

private:
    JsonValue value_;
    std::string name_;
    std::optional<JsonValue> configuration_;
};

struct StoredType {
    ArrayType type{array_types[0]};
    std::endian byte_order = std::endian::little;
};
/// @param dtype of Zarr v2: "<u2", "|b1" @throw Error several_values, unsupported_file
StoredType parse_dtype(const JsonValue& dtype);
/// @param data_type of Zarr v3: "uint16" @throw Error unsupported_file
ArrayType parse_data_type(const JsonValue& data_type);

/// @param fill null: 0 @return one voxel in host byte order. @throw Error invalid_file if the type cannot have the value
// "NaN", float16  ->  four bytes of a float32
std::vector<std::byte> parse_fill(const JsonValue& fill, const ArrayType& type);

char parse_separator(const JsonValue& separator);  // '.' or '/'
KeyStyle parse_key_encoding(const JsonValue& encoding);

/// Reads the codecs of Zarr v3 into order, byte_order, codecs, chunk and sharding of an array, whose shape and type must be set.
/// @param unit extents of the chunks of the array, or of the shards
/// @throw Error invalid_file, unsupported_file
void parse_codecs(const JsonValue& codecs, const std::vector<std::int64_t>& unit, ArrayMetadata& array);

}  // namespace voxcc::io::zarr
