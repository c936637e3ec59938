#include "io/formats/zarr/array_parts.h"

#include "io/formats/npy/npy_header.h"
#include "io/formats/zarr/codec_parameters.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace voxcc::io::zarr {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}

/// The nearest value of IEEE half precision, ties to even.
double rounded_to_half(double value) {
    constexpr int digits = 11, smallest_exponent = -13;
    if (!std::isfinite(value) || value == 0) return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int quantum = std::max(exponent, smallest_exponent) - digits;
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
    return std::abs(rounded) >= 65536 ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

/// The value of a text of 2 * bytes digits after "0x", which states the bits of a float.
std::optional<std::uint64_t> bits_in(std::string_view text, std::int64_t bytes) {
    if (!text.starts_with("0x") || std::int64_t(text.size()) != 2 + 2 * bytes) return {};
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return bits;
}

double float_of_bits(std::uint64_t bits, const ArrayType& type) {
    if (type.type == ScalarType::f64) return std::bit_cast<double>(bits);
    if (type.samples == Samples::voxels) return std::bit_cast<float>(std::uint32_t(bits));
    const int exponent = int(bits >> 10 & 31), mantissa = int(bits & 1023);
    const double size = exponent == 31 ? (mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                                       : std::ldexp(exponent ? mantissa + 1024 : mantissa, std::max(exponent, 1) - 25);
    return bits & 0x8000 ? -size : size;
}

/// The number that a text consists of. n5-zarr and JZarr write fill values of Zarr v2 as texts.
// "1.5", double  ->  1.5; "1.5", int  ->  empty
template <class T>
std::optional<T> number_in(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return number;
}

double parse_float(const JsonValue& fill, const ArrayType& type) {
    if (!fill.is_text()) {
        const double value = fill.number();
        return type.samples == Samples::halves ? rounded_to_half(value) : value;
    }
    const std::string text = fill.text();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (const auto number = number_in<double>(text)) return type.samples == Samples::halves ? rounded_to_half(*number) : *number;
    const auto bits = bits_in(text, type.bytes());
    if (!bits) fill.refuse("'" + text.substr(0, 40) + "' is not a number of the type " + std::string(type.name));
    return float_of_bits(*bits, type);
}

template <class T>
T parse_integer(const JsonValue& fill, const ArrayType& type) {
    const nlohmann::json& json = fill.json();
    if (fill.is_text() && type.name != "bool")
        if (const auto number = number_in<T>(fill.text())) return *number;
    if (json.is_boolean()) return T(json.get<bool>());
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<T>::max())) return json.get<T>();
    if (json.is_number_integer() && !json.is_number_unsigned() && json.get<std::int64_t>() >= std::int64_t(std::numeric_limits<T>::min()))
        return json.get<T>();
    if (json.is_number_float() && json.get<double>() == 0) return 0;
    fill.refuse("it is not a number of the type " + std::string(type.name));
}

/// The permutation of a transpose codec. Early drafts wrote "C" and "F".
std::vector<std::size_t> parse_permutation(const JsonValue& order, std::size_t rank) {
    std::vector<std::size_t> permutation;
    if (order.is_text()) {
        if (order.text() != "C" && order.text() != "F") order.refuse("it must be C, F or a permutation");
        for (std::size_t i = 0; i < rank; ++i) permutation.push_back(order.text() == "C" ? i : rank - 1 - i);
        return permutation;
    }
    std::vector<bool> used(rank, false);
    for (const std::int64_t axis : order.integers()) {
        if (std::size_t(axis) >= rank || used[std::size_t(axis)]) order.refuse("it is not a permutation of the axes");
        used[std::size_t(axis)] = true;
        permutation.push_back(std::size_t(axis));
    }
    if (permutation.size() != rank) order.refuse("it is not a permutation of the axes");
    return permutation;
}

void parse_index_codecs(const JsonValue& list, Sharding& sharding) {
    bool has_bytes = false;
    for (const JsonValue& item : list.items()) {
        const NamedConfiguration codec(item);
        if (codec.name() == "bytes" && !has_bytes) {
            has_bytes = true;
            const std::string endian = codec.at("endian").text();
            if (endian != "little" && endian != "big") codec.refuse("the byte order must be little or big", ErrorKind::invalid_file);
            sharding.index_byte_order = endian == "big" ? std::endian::big : std::endian::little;
        } else if (codec.name() == "crc32c" && has_bytes && sharding.of_index == Sharding::Checksum::none) {
            sharding.of_index = Sharding::Checksum::crc32c;
        } else {
            codec.refuse("an index of a shard with the codec '" + codec.name() + "' is not read");
        }
    }
    if (!has_bytes) list.refuse("the codec 'bytes' is missing");
}

/// Reads a list of codecs from the codec `at` on, and adds to an array.
class CodecList {
public:
    CodecList(const JsonValue& list, ArrayMetadata& array) : list_(list), items_(list.items()), array_(array) {}

    enum class Nesting : std::uint8_t { none, inside_shard };
    /// @param order of the axes before the first codec; @param unit extents before the first codec, in the order of the axes of the array
    void parse(std::vector<std::size_t> order, const std::vector<std::int64_t>& unit, Nesting nesting) {
        std::size_t at = 0;
        for (; at < items_.size() && NamedConfiguration(items_[at]).name() == "transpose"; ++at) {
            const auto permutation = parse_permutation(NamedConfiguration(items_[at]).at("order"), order.size());
            std::vector<std::size_t> next;
            for (const std::size_t axis : permutation) next.push_back(order[axis]);
            order = std::move(next);
        }
        if (at == items_.size()) list_.refuse("the codec 'bytes' or 'sharding_indexed' is missing");
        const NamedConfiguration to_bytes(items_[at++]);
        if (to_bytes.name() == "sharding_indexed") {
            if (nesting == Nesting::inside_shard) to_bytes.refuse("shards inside shards are not read");
            parse_sharding(to_bytes, order, unit);
            parse_shard_checksum(at);
            return;
        }
        if (to_bytes.name() != "bytes") to_bytes.refuse("the codec '" + to_bytes.name() + "' is not read");
        parse_byte_order(to_bytes);
        array_.order = std::move(order);
        array_.chunk = unit;
        for (; at < items_.size(); ++at) array_.codecs.push_back(parse_compressing(NamedConfiguration(items_[at])));
        refuse_two_compressors(list_, array_.codecs);
    }

private:
    void parse_byte_order(const NamedConfiguration& bytes) {
        const auto endian = bytes.find("endian");
        if (!endian && array_.type.bytes() > 1) bytes.refuse("'endian' is missing", ErrorKind::invalid_file);
        if (endian && endian->text() != "little" && endian->text() != "big") endian->refuse("it must be little or big");
        array_.byte_order = endian && endian->text() == "big" ? std::endian::big : std::endian::little;
    }

    static Codec parse_compressing(const NamedConfiguration& codec) {
        constexpr std::string_view prefix = "numcodecs.";
        std::string_view name = codec.name();
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
        const auto known = find_codec(name, [&](const std::string& key) { return codec.find(key); });
        const bool is_other = known && known->kind == CodecKind::crc32c && name != codec.name();  // the checksum of numcodecs is elsewhere
        if (!known || is_other) codec.refuse("the codec '" + codec.name() + "' is not read");
        return *known;
    }

    /// @param order, unit as of parse()
    void parse_sharding(const NamedConfiguration& codec, const std::vector<std::size_t>& order, const std::vector<std::int64_t>& unit) {
        Sharding sharding{.shard = unit, .order = order};
        // The chunk is stated in the order of the axes after the transposes.
        const JsonValue shape = codec.at("chunk_shape");
        const std::vector<std::int64_t> stated = shape.integers();
        if (stated.size() != unit.size()) shape.refuse("it must have one extent per axis");
        std::vector<std::int64_t> chunk(unit.size());
        for (std::size_t i = 0; i < order.size(); ++i) chunk[order[i]] = stated[i];
        parse_index_codecs(codec.at("index_codecs"), sharding);
        if (const auto location = codec.find("index_location")) {
            if (location->text() != "start" && location->text() != "end") location->refuse("it must be start or end");
            if (location->text() == "start") sharding.index_at = Sharding::IndexAt::start;
        }
        CodecList(codec.at("codecs"), array_).parse(order, chunk, Nesting::inside_shard);
        array_.sharding = std::move(sharding);
    }

    /// The only codec that is read after shards, because a compressed shard cannot be read in parts.
    void parse_shard_checksum(std::size_t at) {
        for (; at < items_.size(); ++at) {
            const NamedConfiguration codec(items_[at]);
            if (codec.name() != "crc32c" || array_.sharding->of_shard == Sharding::Checksum::crc32c)
                codec.refuse("shards with the codec '" + codec.name() + "' are not read");
            array_.sharding->of_shard = Sharding::Checksum::crc32c;
        }
    }

    const JsonValue& list_;
    std::vector<JsonValue> items_;
    ArrayMetadata& array_;
};

}  // namespace

NamedConfiguration::NamedConfiguration(const JsonValue& value) : value_(value) {
    if (value.is_text()) {
        name_ = value.text();
        return;
    }
    name_ = value.at("name").text();
    configuration_ = value.find("configuration");
}

std::optional<JsonValue> NamedConfiguration::find(const std::string& key) const {
    return configuration_ ? configuration_->find(key) : std::nullopt;
}

JsonValue NamedConfiguration::at(const std::string& key) const {
    const auto member = find(key);
    if (!member) value_.refuse("'" + key + "' is missing");
    return *member;
}

StoredType parse_dtype(const JsonValue& dtype) {
    if (dtype.is_array()) dtype.refuse("voxels are records of several values", ErrorKind::several_values);
    const NpyType type = parse_npy_type(dtype.text(), dtype.subject());
    return {*array_type(type.name, &ArrayType::name), type.byte_order};
}

ArrayType parse_data_type(const JsonValue& data_type) {
    const NamedConfiguration named(data_type);
    const ArrayType* const type = array_type(named.name(), &ArrayType::name);
    if (named.name().starts_with("complex")) named.refuse("voxels are complex numbers", ErrorKind::several_values);
    if (!type) named.refuse("voxels of the type '" + named.name().substr(0, 40) + "' are not read");
    return *type;
}

std::vector<std::byte> parse_fill(const JsonValue& fill, const ArrayType& type) {
    return visit_scalar(type.type, [&]<class T>(std::type_identity<T>) {
        if (fill.is_null()) return bytes_of(T(0));
        if constexpr (std::is_floating_point_v<T>) return bytes_of(T(parse_float(fill, type)));
        else return bytes_of(parse_integer<T>(fill, type));
    });
}

char parse_separator(const JsonValue& separator) {
    const std::string text = separator.text();
    if (text != "." && text != "/") separator.refuse("it must be '.' or '/'");
    return text[0];
}

KeyStyle parse_key_encoding(const JsonValue& encoding) {
    const NamedConfiguration named(encoding);
    if (named.name() != "default" && named.name() != "v2") named.refuse("keys of the kind '" + named.name() + "' are not read");
    const bool is_default = named.name() == "default";
    KeyStyle style{is_default ? KeyStyle::Prefix::c : KeyStyle::Prefix::none, is_default ? '/' : '.'};
    if (const auto separator = named.find("separator")) style.separator = parse_separator(*separator);
    return style;
}

void parse_codecs(const JsonValue& codecs, const std::vector<std::int64_t>& unit, ArrayMetadata& array) {
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < unit.size(); ++axis) order.push_back(axis);
    CodecList(codecs, array).parse(order, unit, CodecList::Nesting::none);
}

}  // namespace voxcc::io::zarr
