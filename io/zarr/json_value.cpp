#include "io/zarr/json_value.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
constexpr int deepest = 64;

std::string text_of(const Blob& blob) {
    if (blob.size() > most_consolidated_bytes)
        throw Error(ErrorKind::unsupported_file, blob.name(), "has more than 64 MiB, which is too long for metadata");
    std::string text(std::size_t(blob.size()), '\0');
    blob.read_all(std::as_writable_bytes(std::span(text)));
    if (blob.size() > most_bytes && text.find("\"consolidated_metadata\"") == std::string::npos)
        throw Error(ErrorKind::unsupported_file, blob.name(), "has more than 16 MiB, which is too long for metadata");
    return text;
}

template <class Json>
Json parse(const std::string& text, const Blob& blob) {
    const auto check_depth = [&](int depth, typename Json::parse_event_t, const Json&) {
        if (depth > deepest) throw Error(ErrorKind::invalid_file, blob.name(), "is nested too deeply for metadata");
        return true;
    };
    Json json = Json::parse(text, check_depth, false);
    if (json.is_discarded()) throw Error(ErrorKind::invalid_file, blob.name(), "is not valid JSON");
    if (!json.is_object()) throw Error(ErrorKind::invalid_file, blob.name(), "is not a JSON object");
    return json;
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

nlohmann::json read_json(const Blob& blob) { return parse<nlohmann::json>(text_of(blob), blob); }

OrderedJson read_json_to_change(const Blob& blob) {
    const std::string text = text_of(blob);
    if (has_long_number(text)) throw Error(ErrorKind::unsupported_file, blob.name(), "has numbers of 20 digits or more");
    return parse<OrderedJson>(text, blob);
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
