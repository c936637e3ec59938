#include "src/messages/summary_file.h"

#include "io/bounded_json.h"
#include "io/files/checked_file.h"

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

/// Printing deep values would need a deep stack.
constexpr io::JsonLimits limits{.deepest = 8, .beyond = io::JsonLimits::Beyond::leave_out, .most_members = 1000};

}  // namespace

std::optional<Json> read_json_object(const std::string& path, std::int64_t most_bytes) {
    const io::InputFile file(path);
    if (file.size() > most_bytes) return std::nullopt;
    io::ParsedJson<Json> parsed = io::parse_json<Json>(file.text(), limits);
    if (!parsed.value.is_object()) return std::nullopt;
    return std::move(parsed.value);
}

std::optional<Json> read_summary(const std::string& path, std::int64_t most_bytes) {
    std::optional<Json> summary = read_json_object(path, most_bytes);
    return summary && text_in(*summary, "program") == "voxcc" ? std::move(summary) : std::nullopt;
}

Json member(const Json& object, const std::string& name) {
    if (!object.is_object()) return {};
    const auto found = object.find(name);
    return found == object.end() ? Json() : *found;
}

std::string text_in(const Json& object, const std::string& name) {
    const Json value = member(object, name);
    return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace voxcc
