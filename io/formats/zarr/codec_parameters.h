// The names and parameters of codecs from bytes to bytes, as Zarr v2 and v3 store them.
#pragma once
#include "io/formats/zarr/array.h"

#include <functional>

namespace voxcc::io::zarr {

/// @return the parameter with a name; empty if it is not stated
using FindParameter = std::function<std::optional<JsonValue>(const std::string&)>;

/// Finds the codec with a name of Zarr or numcodecs, without "numcodecs.". @return empty if the codec is not known
/// @throw Error invalid_file if a parameter is not valid
std::optional<Codec> find_codec(std::string_view name, const FindParameter& parameter);

/// Reads the filters and the compressor of Zarr v2, in the order of writing. @param metadata the object in .zarray
/// @throw Error invalid_file, unsupported_file
std::vector<Codec> parse_codecs_v2(const JsonValue& metadata);

/// @param list named in the error @throw Error unsupported_file if the size between two compressors is not known
void refuse_two_compressors(const JsonValue& list, const std::vector<Codec>& codecs);

}  // namespace voxcc::io::zarr
