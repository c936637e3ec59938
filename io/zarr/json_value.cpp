#include "io/zarr/json_value.h"

#include "io/bounded_json.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr std::size_t deepest = 64;

/// Whether a document that is too long for the metadata of one node can have consolidated metadata.
bool can_be_consolidated(const std::string& text) { return text.find("\"consolidated_metadata\"") != std::string::npos; }

std::string text_of(const Blob& blob) {
    if (blob.size() > most_consolidated_bytes)
        throw Error(ErrorKind::unsupported_file, blob.name(), "has more than 64 MiB, which is too long for metadata");
    std::string text(std::size_t(blob.size()), '\0');
    blob.read_all(std::as_writable_bytes(std::span(text)));
    if (blob.size() > most_metadata_bytes && !can_be_consolidated(text))
        throw Error(ErrorKind::unsupported_file, blob.name(), "has more than 16 MiB, which is too long for metadata");
    return text;
}

template <class Json>
Json parse(const std::string& text, const Blob& blob, std::string_view null_member) {
    ParsedJson<Json> json = parse_json<Json>(text, {.deepest = deepest, .null_member = null_member});
    if (json.fault == JsonFault::depth) throw Error(ErrorKind::invalid_file, blob.name(), "is nested too deeply for metadata");
    if (json.fault == JsonFault::syntax) throw Error(ErrorKind::invalid_file, blob.name(), "is not valid JSON");
    if (!json.value.is_object()) throw Error(ErrorKind::invalid_file, blob.name(), "is not a JSON object");
    return std::move(json.value);
}

bool has_long_number(const std::string& text) {
    constexpr int most_digits = 19;
    int digits = 0;
    return std::ranges::any_of(text, [&](char c) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        return digits > most_digits;
    });
}

}  // namespace

nlohmann::json read_json(const Blob& blob, Consolidated consolidated) {
    return parse<nlohmann::json>(text_of(blob), blob, consolidated == Consolidated::leave_out ? "consolidated_metadata" : "");
}

OrderedJson read_json_to_change(const Blob& blob) {
    const std::string text = text_of(blob);
    if (has_long_number(text)) throw Error(ErrorKind::unsupported_file, blob.name(), "has numbers of 20 digits or more");
    return parse<OrderedJson>(text, blob, "");
}

OrderedJson parse_own_json(const std::string& text) { return parse_json<OrderedJson>(text, {.deepest = deepest}).value; }

void require_readable(const std::string& text, const std::string& name) {
    const std::int64_t most = can_be_consolidated(text) ? most_consolidated_bytes : most_metadata_bytes;
    if (std::int64_t(text.size()) > most) throw Error(ErrorKind::unsupported_file, name, "would become too long to be read again");
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
    if (!json_->is_object()) refuse("it must be an object");
    const auto member = json_->find(key);
    if (member == json_->end()) return {};
    return JsonValue(*member, subject_, name_.empty() ? key : name_ + "." + key);
}

JsonValue JsonValue::at(const std::string& key) const {
    const auto member = find(key);
    if (!member) refuse("'" + key + "' is missing");
    return *member;
}

std::vector<JsonValue> JsonValue::items() const {
    if (!json_->is_array()) refuse("it must be a list");
    std::vector<JsonValue> items;
    for (std::size_t i = 0; i < json_->size(); ++i)
        items.push_back(JsonValue((*json_)[i], subject_, name_ + "[" + std::to_string(i) + "]"));
    return items;
}

std::string JsonValue::text() const {
    if (!json_->is_string()) refuse("it must be a text");
    return json_->get<std::string>();
}

std::int64_t JsonValue::integer() const {
    const bool is_valid = json_->is_number_unsigned() && json_->get<std::uint64_t>() <= std::uint64_t(INT64_MAX);
    if (!is_valid) refuse("it must be a whole number from 0 to 2^63 - 1");
    return json_->get<std::int64_t>();
}

double JsonValue::number() const {
    if (!json_->is_number() || !std::isfinite(json_->get<double>())) refuse("it must be a number");
    return json_->get<double>();
}

std::vector<std::int64_t> JsonValue::integers() const {
    std::vector<std::int64_t> numbers;
    for (const JsonValue& item : items()) numbers.push_back(item.integer());
    return numbers;
}

std::vector<double> JsonValue::numbers() const {
    std::vector<double> numbers;
    for (const JsonValue& item : items()) numbers.push_back(item.number());
    return numbers;
}

void JsonValue::refuse(const std::string& cause, ErrorKind kind) const {
    throw Error(kind, subject_, (name_.empty() ? "its metadata are not valid: " : "'" + name_ + "' is not valid: ") + cause);
}

}  // namespace voxcc::io::zarr
