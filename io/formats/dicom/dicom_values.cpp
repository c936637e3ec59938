#include "io/formats/dicom/dicom_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace voxcc::io {
namespace {

constexpr std::string_view padding("\0 \t\r\n", 5);

std::string_view without_padding(std::string_view text) {
    const std::size_t first = text.find_first_not_of(padding);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(padding) - first + 1);
}

// Messages are ASCII. Escapes keep different texts different.
std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text) {
        std::array<char, 8> escape{c};
        if (c < ' ' || c > '~')
            std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        result += escape.data();
    }
    return result;
}

std::optional<double> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <class T>
void append_binary(std::span<const std::byte> bytes, std::endian order, std::vector<double>& values) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        std::array<std::byte, sizeof(T)> number{};
        std::copy_n(bytes.begin() + std::ptrdiff_t(at), sizeof(T), number.begin());
        if (order != std::endian::native) std::ranges::reverse(number);
        values.push_back(double(std::bit_cast<T>(number)));
    }
}

// A tag is stored as two 16-bit numbers.
void append_tags(std::span<const std::byte> bytes, std::endian order, std::vector<double>& values) {
    std::vector<double> halves;
    append_binary<std::uint16_t>(bytes, order, halves);
    for (std::size_t i = 0; i + 1 < halves.size(); i += 2) values.push_back(halves[i] * (1 << 16) + halves[i + 1]);
}

constexpr bool is(const DicomType& type, std::string_view name) { return type[0] == name[0] && type[1] == name[1]; }

// @return whether numbers of this type are binary
bool append(const DicomType& type, std::span<const std::byte> bytes, std::endian order, std::vector<double>& values) {
    if (is(type, "US")) append_binary<std::uint16_t>(bytes, order, values);
    else if (is(type, "SS")) append_binary<std::int16_t>(bytes, order, values);
    else if (is(type, "UL")) append_binary<std::uint32_t>(bytes, order, values);
    else if (is(type, "SL")) append_binary<std::int32_t>(bytes, order, values);
    else if (is(type, "FL")) append_binary<float>(bytes, order, values);
    else if (is(type, "FD")) append_binary<double>(bytes, order, values);
    else if (is(type, "OV") || is(type, "UV")) append_binary<std::uint64_t>(bytes, order, values);
    else if (is(type, "AT")) append_tags(bytes, order, values);
    else return false;
    return true;
}

}  // namespace

void DicomValues::refuse(std::uint32_t tag, const std::string& cause) const {
    throw Error(ErrorKind::invalid_file, bytes_.path(), "the element " + tag_text(tag) + " " + cause);
}

std::vector<std::byte> DicomValues::value(const DicomElement& element) const {
    std::vector<std::byte> value(element.length);  // the parser has compared the length with the file
    bytes_.read(element.value, value);
    return value;
}

std::string DicomValues::text(std::uint32_t tag) const {
    const DicomElement* const element = set_.find(tag);
    if (!element) return {};
    constexpr std::uint32_t longest = 1024;
    std::string text(std::min(element->length, longest), '\0');
    bytes_.read(element->value, std::as_writable_bytes(std::span(text)));
    return printable(without_padding(text));
}

std::vector<double> DicomValues::numbers(std::uint32_t tag) const {
    const DicomElement* const element = set_.find(tag);
    std::vector<double> values;
    if (!element || element->length == 0) return values;
    const std::vector<std::byte> bytes = value(*element);
    if (!append(element->type, bytes, element->order, values)) {
        std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (without_padding(rest).empty()) return values;
        for (bool more = true; more;) {
            const std::size_t end = std::min(rest.find('\\'), rest.size());
            const std::string_view text = without_padding(rest.substr(0, end));
            const std::optional<double> number = parse_number(text);
            if (!number) refuse(tag, "has the value '" + printable(text.substr(0, 32)) + "', which is not a number");
            values.push_back(*number);
            more = end < rest.size();
            if (more) rest.remove_prefix(end + 1);
        }
    }
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) refuse(tag, "has a value that is not finite");
    return values;
}

std::optional<double> DicomValues::number(std::uint32_t tag) const {
    const std::vector<double> all = numbers(tag);
    return all.empty() ? std::nullopt : std::optional(all.front());
}

std::optional<std::int64_t> DicomValues::integer(std::uint32_t tag) const {
    const std::optional<double> value = number(tag);
    if (!value) return std::nullopt;
    if (*value < 0 || *value > std::numeric_limits<std::int32_t>::max() || *value != std::floor(*value))
        refuse(tag, "has a value that is not a count");
    return std::int64_t(*value);
}

}  // namespace voxcc::io
