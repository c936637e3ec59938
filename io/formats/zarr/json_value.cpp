#include "io/formats/zarr/json_value.h"

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

/// The start of a text that stands for a number, as JSON writes it, and as it is written inside quotes. U+E000 is for private use.
constexpr std::string_view mark = "\xee\x80\x80number ";

/// @return the end of the quoted text that starts at `begin`
std::size_t end_of_quotes(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

/// Whether a number is written with the same digits after it was parsed.
bool keeps_digits(const std::string& number) {
    constexpr std::size_t most_digits = 18;  // of a whole number that certainly fits into 64 bits
    const bool is_short = number.size() <= most_digits && number.find_first_not_of("0123456789") == std::string::npos && number[0] != '0';
    if (is_short) return true;
    const OrderedJson parsed = OrderedJson::parse(number, nullptr, false);
    return parsed.is_discarded() || parsed.dump() == number;
}

/// Puts quotes and a mark around each number that would change.
std::string with_marked_numbers(const std::string& text) {
    std::string marked;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
        const bool is_number = text[at] == '-' || (text[at] >= '0' && text[at] <= '9');
        end = text[at] == '"' ? end_of_quotes(text, at) : at + 1;
        if (is_number) end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
        const std::string piece = text.substr(at, end - at);
        if (is_number && !keeps_digits(piece)) marked.append("\"").append(mark).append(piece).append("\"");
        else marked += piece;
    }
    return marked;
}

}  // namespace

nlohmann::json read_json(const Blob& blob, Consolidated consolidated) {
    return parse<nlohmann::json>(text_of(blob), blob, consolidated == Consolidated::leave_out ? "consolidated_metadata" : "");
}

OrderedJson read_json_to_change(const Blob& blob) {
    const std::string text = text_of(blob);
    if (text.find(mark) != std::string::npos)
        throw Error(ErrorKind::unsupported_file, blob.name(), "has the character U+E000 before 'number'");
    return parse<OrderedJson>(with_marked_numbers(text), blob, "");
}

OrderedJson parse_to_change(const std::string& text) {
    return parse_json<OrderedJson>(with_marked_numbers(text), {.deepest = deepest}).value;
}

std::string with_kept_numbers(const std::string& text) {
    const std::string start = "\"" + std::string(mark);
    std::string kept;
    std::size_t at = 0;
    for (std::size_t found; (found = text.find(start, at)) != std::string::npos;) {
        kept += text.substr(at, found - at);
        const std::size_t number = found + start.size(), end = text.find('"', number);
        kept += text.substr(number, end - number);
        at = end + 1;
    }
    return kept + text.substr(at);
}

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
