// Changes JSON documents: values, members, nesting, and texts that a parser of nlohmann would not write, as members with equal names.
#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace voxcc::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view next_file = "\n==next file==\n";

const std::vector<Json>& special_values() {
    static const std::vector<Json> values{
        0,       1,  -1,    2,     0.5,     1e308, -0.0,  18446744073709551615u, std::int64_t{1} << 62, 4294967296, true, false,
        nullptr, "", "NaN", "<u2", "uint8", "|b1", "a/b", Json::array(),         Json::object(),        "\xc3\xa4", "..", "Infinity"};
    return values;
}

// All values below and including `json`, in the order of the text.
void collect(Json& json, std::vector<Json*>& found) {
    found.push_back(&json);
    if (json.is_structured())
        for (Json& part : json) collect(part, found);
}

Json& random_value(Json& document, Choices& choices) {
    std::vector<Json*> found;
    collect(document, found);
    return *choices.of(found);
}

Json changed_number(const Json& number, Choices& choices) {
    if (number.is_number_integer()) return choices.value(number.get<std::uint64_t>(), 100);
    switch (choices.below(4)) {
        case 0: return -number.get<double>();
        case 1: return number.get<double>() * 1e300;
        case 2: return number.get<double>() / 1e300;
        default: return std::int64_t(std::clamp(number.get<double>(), -1e9, 1e9));
    }
}

void resize(Json& list, const Json& other, Choices& choices) {
    if (!list.empty() && choices.one_in(2)) list.erase(list.begin() + std::ptrdiff_t(choices.below(list.size())));
    else list.insert(list.begin() + std::ptrdiff_t(choices.below(list.size() + 1)), other);
}

void rename_member(Json& object, const std::string& name, Choices& choices) {
    if (object.empty()) return;
    auto member = object.begin();
    std::advance(member, std::ptrdiff_t(choices.below(object.size())));
    const Json value = member.value();
    if (choices.one_in(2)) object.erase(member.key());
    object[name] = value;
}

void nest(Json& value, Choices& choices) {
    const Json inner = value;
    for (std::uint64_t depth = choices.one_in(20) ? 200 : 1 + choices.below(3); depth > 0; --depth)
        value = choices.one_in(2) ? Json::array({value}) : Json{{"a", value}};
}

void change(Json& document, Choices& choices) {
    const Json other = random_value(document, choices);
    Json& value = random_value(document, choices);
    switch (choices.below(8)) {
        case 0: value = other; return;
        case 1: value = choices.of(special_values()); return;
        case 2: nest(value, choices); return;
        case 3:
            if (value.is_object()) rename_member(value, other.is_string() ? other.get<std::string>() : "name", choices);
            return;
        default:
            if (value.is_number()) value = changed_number(value, choices);
            else if (value.is_array()) resize(value, other, choices);
            else if (value.is_string() && other.is_string()) value = value.get<std::string>() + other.get<std::string>();
            else value = choices.of(special_values());
    }
}

// Errors that a document object cannot hold.
void change_text(std::string& text, Choices& choices) {
    const auto brace = text.find('{', choices.below(text.size()));
    switch (choices.below(4)) {
        case 0:
            if (brace != text.npos) text.insert(brace + 1, text.at(brace + 1) == '}' ? "\"shape\":1" : "\"shape\":[1],\"shape\":2,");
            return;
        case 1: text.insert(choices.below(text.size() + 1), choices.one_in(2) ? "\\ud800" : "\xff"); return;
        case 2: text.resize(choices.below(text.size())); return;
        default: text += choices.one_in(2) ? "}" : " 1"; return;
    }
}

std::string changed_document(const std::string& text, std::size_t most, Choices& choices) {
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return {};
    for (std::uint64_t changes = choices.one_in(4) ? 3 : 1; changes > 0; --changes) change(document, choices);
    std::string changed = document.dump(choices.one_in(8) ? 2 : -1, ' ', false, Json::error_handler_t::replace);
    if (choices.one_in(10) && !changed.empty()) change_text(changed, choices);
    return changed.size() <= most ? changed : std::string();
}

}  // namespace

std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    if (size == 0 || choices.one_in(6)) return mutate_bytes(data, size, most);
    const std::string changed = changed_document(std::string(reinterpret_cast<const char*>(data), size), most, choices);
    if (changed.empty()) return mutate_text(data, size, most, seed);
    std::ranges::copy(changed, data);
    return changed.size();
}

std::size_t mutate_documents(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = text.find(next_file, at);
        if (at < text.size() && (text[at] == '{' || text[at] == '[')) starts.push_back(at);
        at = end == text.npos ? text.size() + 1 : end + next_file.size();
    }
    if (starts.empty() || choices.one_in(6)) return mutate_text(data, size, most, seed);
    const std::size_t begin = choices.of(starts), end = std::min(text.find(next_file, begin), text.size());
    const std::string changed = changed_document(text.substr(begin, end - begin), most, choices);
    if (changed.empty() || size - (end - begin) + changed.size() > most) return mutate_text(data, size, most, seed);
    const std::string all = text.substr(0, begin) + changed + text.substr(end);
    std::ranges::copy(all, data);
    return all.size();
}

}  // namespace voxcc::fuzz
