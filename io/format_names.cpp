#include "io/format_names.h"

#include "io/format.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using Words = std::vector<std::string_view>;

void append(Words& all, const Words& more) { all.insert(all.end(), more.begin(), more.end()); }

/// The extension of a compressed file, which a user may have added to a file of any format; empty if there is none.
std::string_view compression_of(const std::string& name) {
    for (const Format& format : formats())
        for (const std::string_view compression : format.compressions)
            if (has_extension(name, {compression})) return compression;
    return {};
}

/// The longest extension of a volume that ends the name; empty if there is none.
std::string_view extension_of_volume(const std::string& name) {
    std::string_view longest;
    for (const Format& format : formats())
        for (const Words& extensions : {format.extensions, format.ambiguous_extensions})
            for (const std::string_view extension : extensions)
                if (extension.size() > longest.size() && has_extension(name, {extension})) longest = extension;
    return longest;
}

/// Whether the extensions of the format, each also with its compressions, end the name.
bool has_name(const Format& format, const std::string& name) {
    std::string plain = name;
    for (const std::string_view compression : format.compressions)
        if (has_extension(name, {compression})) plain = without_extension(name, compression);
    return std::ranges::any_of(format.extensions, [&](std::string_view extension) { return has_extension(plain, {extension}); });
}

// ".ome.tif", {".tif", ".ome.tif"} -> true
bool ends_with_another(std::string_view extension, const Words& all) {
    return std::ranges::any_of(all, [&](std::string_view other) { return other != extension && extension.ends_with(other); });
}

/// The words for a sentence.
// {"A", "B", "C"}, "and" -> "A, B and C"
std::string as_sentence(const Words& words, const std::string& last_word) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " " + last_word + " " : ", ") + std::string(words[i]);
    return text;
}

}  // namespace

std::string without_volume_extension(std::string name) {
    if (const std::string_view of_file = extension_of_volume(name); !of_file.empty()) return without_extension(name, of_file);
    name = without_extension(name, compression_of(name));
    return without_extension(name, extension_of_volume(name));
}

bool has_volume_extension(const std::string& name) { return without_volume_extension(name) != name; }

std::string joined(const std::vector<std::string_view>& words, std::string_view separator) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "" : std::string(separator)) + std::string(word);
    return text;
}

std::vector<std::string_view> short_extensions(const Format& format) {
    Words all;
    std::ranges::copy_if(format.extensions, std::back_inserter(all),
                         [&](std::string_view extension) { return !ends_with_another(extension, format.extensions); });
    return all;
}

const Format* format_of_name(const std::string& name) {
    for (const Format& format : formats())
        if (has_name(format, name)) return &format;
    return nullptr;
}

std::string readable_formats() {
    Words names;
    for (const Format& format : formats())
        if (format.is_available()) names.push_back(format.name);
    return as_sentence(names, "and");
}

std::string formats_of_pipes() {
    Words names;
    for (const Format& format : formats())
        if (format.read.pipes == Pipes::read) names.push_back(format.name);
    return as_sentence(names, "or");
}

std::vector<std::string_view> readable_extensions() {
    Words all;
    for (const Format& format : formats())
        if (format.is_available()) append(all, short_extensions(format));
    return all;
}

std::vector<std::string_view> writable_extensions() {
    Words all;
    for (const Format& format : formats())
        if (format.is_available() && format.write) append(all, format.write->extensions);
    return all;
}

std::vector<std::string_view> usual_output_extensions() {
    constexpr std::size_t most = 5;
    Words all;
    for (const Format& format : formats())
        if (all.size() < most && format.is_available() && format.write && !format.write->extensions.empty())
            all.push_back(format.write->extensions.front());
    return all;
}

std::vector<std::string_view> slice_extensions() {
    Words all;
    for (const Format& format : formats()) append(all, format.slice_extensions);
    return all;
}

}  // namespace voxcc::io
