#include "io/header_text.h"

#include "io/files/checked_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

namespace voxcc::io {
namespace {

template <class T>
std::vector<T> parse_all(std::string_view text, const std::string& path, std::string_view field) {
    constexpr std::string_view separators = " \t\r,()";
    std::vector<T> numbers;
    for (std::size_t at = text.find_first_not_of(separators); at != text.npos; at = text.find_first_not_of(separators, at)) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        std::string_view token = text.substr(at, end - at);
        if (token.starts_with('+')) token.remove_prefix(1);
        T value{};
        const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), value);
        if (error != std::errc{} || rest != token.data() + token.size())
            throw Error(ErrorKind::invalid_file, path,
                        "'" + std::string(field) + "' holds '" + std::string(token.substr(0, 40)) + "', not a number");
        numbers.push_back(value);
        at = end;
    }
    return numbers;
}

// @return whether a data file is in the folder of its header after all symbolic links are resolved
bool is_beside(const std::string& header, const std::string& data) {
    std::error_code error;
    const std::filesystem::path real_data = std::filesystem::canonical(data, error);
    if (error) {
        const InputFile missing(data);  // throws the matching error
        return false;
    }
    return real_data.parent_path() == std::filesystem::canonical(header).parent_path();
}

}  // namespace

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return lower;
}

std::vector<double> parse_doubles(std::string_view text, const std::string& path, std::string_view field) {
    return parse_all<double>(text, path, field);
}

std::vector<std::int64_t> parse_integers(std::string_view text, const std::string& path, std::string_view field) {
    return parse_all<std::int64_t>(text, path, field);
}

std::int64_t parse_integer(std::string_view text, const std::string& path, std::string_view field) {
    const auto numbers = parse_integers(text, path, field);
    if (numbers.size() != 1) throw Error(ErrorKind::invalid_file, path, "'" + std::string(field) + "' is not one number");
    return numbers[0];
}

std::string shortest(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

const std::string* find_field(const Fields& fields, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const auto found = fields.find(name); found != fields.end()) return &found->second;
    return nullptr;
}

std::string detached_path(const std::string& header_path, std::string_view name, ExternalFiles external) {
    while (name.starts_with("./")) name.remove_prefix(2);
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::external_file, header_path, "its voxels are in '" + std::string(name) + "', which is " + why);
    };
    const bool plain = !name.empty() && name.find_first_of("/\\%:") == name.npos && name != "." && name != "..";
    if (!plain && external == ExternalFiles::refuse) refuse("outside its folder");
    const std::string path = (std::filesystem::path(header_path).parent_path() / name).string();
    if (external == ExternalFiles::refuse && !is_beside(header_path, path)) refuse("outside its folder once symbolic links are resolved");
    if (external == ExternalFiles::refuse && !std::filesystem::is_regular_file(path)) refuse("not a regular file");
    return path;
}

}  // namespace voxcc::io
