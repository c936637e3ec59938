#include "io/formats/vtk/vtk_values.h"

#include "io/formats/vtk/vtk_words.h"
#include "io/header_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace voxcc::io {
namespace {

using enum ScalarType;

// VTK stores identifiers as 32-bit integers, also where its vtkIdType has 64 bits.
constexpr std::array vtk_types{VtkType{"bit", u8, VtkValues::bits},
                               VtkType{"char", i8},
                               VtkType{"signed_char", i8},
                               VtkType{"unsigned_char", u8},
                               VtkType{"short", i16},
                               VtkType{"unsigned_short", u16},
                               VtkType{"int", i32},
                               VtkType{"unsigned_int", u32},
                               VtkType{"long", i64},
                               VtkType{"unsigned_long", u64},
                               VtkType{"long_long", i64},
                               VtkType{"unsigned_long_long", u64},
                               VtkType{"vtktypeint64", i64},
                               VtkType{"vtktypeuint64", u64},
                               VtkType{"vtkidtype", i32},
                               VtkType{"float", f32},
                               VtkType{"double", f64},
                               VtkType{"string", u8, VtkValues::strings}};

// Whether a word among numbers can be one. It tells numbers from keywords; the reader of the voxels parses the numbers.
bool is_number(std::string_view word) {
    if (word.find_first_not_of("+-.0123456789eE") == word.npos) return true;
    if (word.front() == '+' || word.front() == '-') word.remove_prefix(1);
    const std::string text = lower_case(word);
    return text == "inf" || text == "infinity" || text == "nan" || (text.starts_with("nan(") && text.ends_with(')'));
}

void pass_numbers(VtkWords& words, const VtkRun& run, const std::string& path, const std::string& name) {
    for (std::int64_t i = 0; i < run.count; ++i) {
        const std::string_view word = words.word();
        if (word.empty())
            throw Error(ErrorKind::truncated_file, path,
                        "expected " + std::to_string(run.count) + " values of " + in_quotes(name) + ", got " + std::to_string(i));
        const bool is_value = run.type.values == VtkValues::bits ? word == "0" || word == "1" : is_number(word);
        if (!is_value)
            throw Error(ErrorKind::invalid_file, path,
                        "value " + std::to_string(i) + " of " + in_quotes(name) + " is " + in_quotes(word) + ", which is not a " +
                            (run.type.values == VtkValues::bits ? "bit" : "number"));
    }
    words.pass_end_of_word();
}

// A text has one string per line. In a binary file, the first two bits state the bytes of the length: 3, 2, 1, 0 for 1, 2, 4, 8.
void pass_strings(VtkWords& words, const VtkRun& run) {
    for (std::int64_t i = 0; i < run.count; ++i) {
        if (run.encoding == VtkEncoding::text) {
            words.line();
            continue;
        }
        const auto first = std::to_integer<std::uint64_t>(words.byte());
        std::uint64_t length = first & 63;
        for (int more = (1 << (3 - int(first >> 6))) - 1; more > 0; --more)
            length = length << 8 | std::to_integer<std::uint64_t>(words.byte());
        words.skip(std::int64_t(length));
    }
}

std::optional<std::int64_t> count_in(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc{} && end == text.data() + text.size() && count >= 0 ? std::optional(count) : std::nullopt;
}

// @return whether the next line is empty or begins a key of the information, or the file ends. Nothing is passed.
bool ends_value(VtkWords& words) {
    if (words.at_end()) return true;
    const std::int64_t position = words.position();
    const std::string line = words.line();
    words.seek(position);
    return trim(line).empty() || line.starts_with("NAME ");
}

// Passes keys of the form "NAME key LOCATION class", "DATA value". A list of texts has its number as value, and its texts as lines.
void pass_information(VtkWords& words, std::string_view number, const std::string& path) {
    const auto refuse = [&](std::string_view text) { throw Error(ErrorKind::invalid_file, path, "'INFORMATION' has " + in_quotes(text)); };
    const auto keys = count_in(number);
    if (!keys) refuse(number);
    for (std::int64_t i = 0; i < *keys; ++i) {
        if (const std::string name = words.line(); !name.starts_with("NAME ")) refuse(name);
        const std::string line = words.line();
        constexpr std::string_view data = "DATA ";
        if (!line.starts_with(data)) refuse(line);
        if (ends_value(words)) continue;
        const auto texts = count_in(trim(std::string_view(line).substr(data.size())));
        if (!texts) refuse(line);
        for (std::int64_t text = 0; text < *texts; ++text) words.line();
    }
}

}  // namespace

const VtkType* vtk_type(std::string_view name) {
    const auto* const found = std::ranges::find(vtk_types, lower_case(name), &VtkType::name);
    return found == vtk_types.end() ? nullptr : found;
}

void pass_values(VtkWords& words, const VtkRun& run, const std::string& path, const std::string& name) {
    if (run.type.values == VtkValues::strings) return pass_strings(words, run);
    if (run.count == 0) return;
    if (run.encoding == VtkEncoding::text) return pass_numbers(words, run, path, name);
    if (run.type.values == VtkValues::bits) return words.skip(run.count / 8 + (run.count % 8 != 0));
    words.skip(checked_bytes({run.count, 1, 1}, size_of(run.type.type), path));
}

void pass_metadata(VtkWords& words, std::int64_t components, const std::string& path) {
    if (!words.pass("metadata")) return;
    words.end_line();
    while (!words.at_end()) {
        const std::string line = words.line();
        const std::string_view text = trim(line);
        constexpr std::string_view information = "INFORMATION ";
        if (text.empty()) return;
        if (text == "COMPONENT_NAMES") {
            for (std::int64_t i = 0; i < components; ++i) words.line();
        } else if (text.starts_with(information)) {
            pass_information(words, trim(text.substr(information.size())), path);
        } else {
            throw Error(ErrorKind::invalid_file, path, "'METADATA' has the line " + in_quotes(text));
        }
    }
}

}  // namespace voxcc::io
