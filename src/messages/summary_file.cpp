#include "src/messages/summary_file.h"

#include "io/checked_file.h"

#include <array>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

/// Decides which values of a file are kept. Printing deep values would need a deep stack. An ordered object searches all its members for
/// each new member, so millions of members would need hours.
class Limits {
public:
    bool keeps(int depth, Json::parse_event_t event) {
        if (depth >= deepest) return false;
        const auto level = std::size_t(depth);
        if (event == Json::parse_event_t::object_start) members_[level + 1] = 0;
        return event != Json::parse_event_t::key || ++members_[level] <= most_members;
    }

private:
    static constexpr int deepest = 8, most_members = 1000;
    std::array<int, deepest + 1> members_{};  // of the open object at each depth
};

}  // namespace

std::optional<Json> read_json_object(const std::string& path, std::int64_t most_bytes) {
    const io::InputFile file(path);
    if (file.size() > most_bytes) return std::nullopt;
    Limits limits;
    const auto keeps = [&limits](int depth, Json::parse_event_t event, Json&) { return limits.keeps(depth, event); };
    Json object = Json::parse(file.text(), keeps, false);
    if (!object.is_object()) return std::nullopt;
    return object;
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
