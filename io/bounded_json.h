// JSON documents that are not trusted: read in time and memory that are linear in their length, to a limited depth.
// nlohmann::json::parse() with a callback searches the parent after each object, and an ordered object searches all its members for each
// new member. Both take hours for a document of some megabytes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace voxcc::io {

struct JsonLimits {
    enum class Beyond { refuse, leave_out };
    std::size_t deepest;                         // nested lists and objects; a value inside of the deepest is within the limit if refused
    Beyond beyond = Beyond::refuse;              // what happens to deeper lists and objects
    std::size_t most_members = std::size_t(-1);  // per object; further members are left out
    std::string_view null_member = {};           // the member of the document with this name is read as null
};

enum class JsonFault { none, syntax, depth };

template <class Json>
struct ParsedJson {
    Json value;  // null with a fault
    JsonFault fault = JsonFault::none;
};

/// Builds a document from the events of nlohmann::json::sax_parse().
template <class Json>
class JsonBuilder {
public:
    explicit JsonBuilder(const JsonLimits& limits) : limits_(limits) {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(typename Json::number_integer_t value) { return add(value); }
    bool number_unsigned(typename Json::number_unsigned_t value) { return add(value); }
    bool number_float(typename Json::number_float_t value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(typename Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return start(Open{.is_object = true}); }
    bool start_array(std::size_t) { return start(Open{.is_object = false}); }
    bool end_object() { return end(); }
    bool end_array() { return end(); }
    bool key(std::string& name) {
        if (left_out_ > 0) return true;
        Open& object = open_.back();
        const bool is_null = open_.size() == 1 && !limits_.null_member.empty() && name == limits_.null_member;
        object.next = object.members++ >= limits_.most_members ? Next::leave_out : is_null ? Next::null : Next::keep;
        if (object.next != Next::leave_out && is_within()) object.keys.push_back(std::move(name));
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
        fault_ = JsonFault::syntax;
        return false;
    }

    ParsedJson<Json> take() { return {fault_ == JsonFault::none ? std::move(document_) : Json(), fault_}; }

private:
    enum class Next { keep, null, leave_out };
    struct Open {
        bool is_object;
        std::vector<std::string> keys{};  // of an object, as many as values
        std::vector<Json> values{};
        std::size_t members = 0;  // with those that are left out
        Next next = Next::keep;   // what happens to the value of the last key
    };

    bool is_within() const { return limits_.beyond == JsonLimits::Beyond::refuse || open_.size() < limits_.deepest; }
    bool is_kept() const { return open_.empty() || (is_within() && open_.back().next != Next::leave_out); }

    bool add(Json value) {
        if (left_out_ > 0 || !is_kept()) return true;
        if (open_.empty()) document_ = std::move(value);
        else open_.back().values.push_back(open_.back().next == Next::null ? Json(nullptr) : std::move(value));
        return true;
    }
    bool start(Open container) {
        if (open_.size() + left_out_ >= limits_.deepest && limits_.beyond == JsonLimits::Beyond::refuse) {
            fault_ = JsonFault::depth;
            return false;
        }
        const bool is_null = !open_.empty() && open_.back().next == Next::null;
        if (left_out_ > 0 || !is_kept() || is_null) {
            if (left_out_++ == 0 && is_null) open_.back().values.push_back(nullptr);
            return true;
        }
        open_.push_back(std::move(container));
        return true;
    }
    bool end() {
        if (left_out_ > 0) {
            --left_out_;
            return true;
        }
        Json value = closed(std::move(open_.back()));
        open_.pop_back();
        return add(std::move(value));
    }
    /// The last of several members with one name counts.
    static Json closed(Open container) {
        if (!container.is_object) return typename Json::array_t(std::move(container.values));
        typename Json::object_t object;
        if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
            object.reserve(container.keys.size());
            std::unordered_map<std::string_view, std::size_t> places;
            for (std::size_t i = 0; i < container.keys.size(); ++i) {
                const auto [found, is_new] = places.try_emplace(container.keys[i], object.size());
                if (is_new) object.emplace_back(container.keys[i], std::move(container.values[i]));
                else (object.begin() + std::ptrdiff_t(found->second))->second = std::move(container.values[i]);
            }
        } else {
            for (std::size_t i = 0; i < container.keys.size(); ++i)
                object.insert_or_assign(std::move(container.keys[i]), std::move(container.values[i]));
        }
        return object;
    }

    const JsonLimits limits_;
    std::vector<Open> open_;    // from the document to the list or object that is being read
    std::size_t left_out_ = 0;  // open lists and objects that are left out
    Json document_;
    JsonFault fault_ = JsonFault::none;
};

template <class Json>
ParsedJson<Json> parse_json(std::string_view text, const JsonLimits& limits) {
    JsonBuilder<Json> builder(limits);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

}  // namespace voxcc::io
