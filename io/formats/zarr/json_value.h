// JSON documents of a store: bounded, and with the name of every value for errors.
#pragma once
#include "io/formats/zarr/store.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io::zarr {

using OrderedJson = nlohmann::ordered_json;

constexpr std::int64_t most_metadata_bytes = std::int64_t{16} << 20, most_consolidated_bytes = std::int64_t{64} << 20;

/// Whether a document keeps its consolidated metadata, which are long and only needed for comparisons. Otherwise, they are null.
enum class Consolidated { keep, leave_out };

/// Parses a document: at most 16 MiB, or 64 MiB with consolidated metadata, and 64 levels deep.
/// @throw Error invalid_file, unsupported_file
nlohmann::json read_json(const Blob& blob, Consolidated consolidated);

/// Parses a document that is changed and written again: the members keep their order, and the numbers keep their digits. A number that
/// would be written with other digits becomes a text, which with_kept_numbers() replaces. @throw Error as read_json()
OrderedJson read_json_to_change(const Blob& blob);

/// The same for a text that is valid JSON.
OrderedJson parse_to_change(const std::string& text);

/// Replaces the texts that stand for numbers. @param text that was written from the JSON value of read_json_to_change()
// {"a":1.10}  ->  read_json_to_change()  ->  dump()  ->  with_kept_numbers()  ->  {"a":1.10}
std::string with_kept_numbers(const std::string& text);

/// Checks that read_json() can read a document that voxcc writes. @param name of the document. @throw Error unsupported_file
void require_readable(const std::string& text, const std::string& name);

/// A value of a document. The functions throw Error invalid_file if the value has another type. The document must outlive the object.
class JsonValue {
public:
    /// @param subject the document, for errors
    JsonValue(const nlohmann::json& json, std::string subject) : JsonValue(json, std::move(subject), "") {}
    const nlohmann::json& json() const { return *json_; }
    const std::string& subject() const { return subject_; }
    bool is_object() const { return json_->is_object(); }
    bool is_array() const { return json_->is_array(); }
    bool is_text() const { return json_->is_string(); }
    bool is_null() const { return json_->is_null(); }
    /// @return the member of an object; empty if the object does not have it
    std::optional<JsonValue> find(const std::string& key) const;
    /// @throw Error also if the object does not have the member
    JsonValue at(const std::string& key) const;
    std::vector<JsonValue> items() const;
    std::string text() const;
    std::int64_t integer() const;  // in [0, 2^63)
    double number() const;         // finite
    std::vector<std::int64_t> integers() const;
    std::vector<double> numbers() const;
    /// "'chunks' is not valid: CAUSE"
    [[noreturn]] void refuse(const std::string& cause, ErrorKind kind = ErrorKind::invalid_file) const;

private:
    JsonValue(const nlohmann::json& json, std::string subject, std::string name)
        : json_(&json), subject_(std::move(subject)), name_(std::move(name)) {}
    const nlohmann::json* json_;
    std::string subject_, name_;
};

}  // namespace voxcc::io::zarr
