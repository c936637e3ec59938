#include "io/format_names.h"

#include "io/format.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

bool is_in_build(const Format& format) { return !format.is_in_build || format.is_in_build(); }

std::vector<std::string_view> all_extensions(const Format& format) {
    std::vector<std::string_view> all = format.extensions;
    all.insert(all.end(), format.ambiguous_extensions.begin(), format.ambiguous_extensions.end());
    return all;
}

/// The extension of a compressed file, which a user may have added to any file; else empty.
std::string_view compression_of(const std::string& name) {
    for (const std::string_view extension : {".gz", ".zst"})
        if (has_extension(name, {extension})) return extension;
    return {};
}

/// The longest extension of a volume that ends the name; empty if there is none.
std::string_view extension_of_volume(const std::string& name) {
    std::string_view longest;
    for (const Format& format : formats())
        for (const std::string_view extension : all_extensions(format))
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
bool ends_with_another(std::string_view extension, const std::vector<std::string_view>& all) {
    return std::ranges::any_of(all, [&](std::string_view other) { return other != extension && extension.ends_with(other); });
}

/// "A, B and C"
std::string as_sentence(const std::vector<std::string>& names, const std::string& last_word) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " " + last_word + " " : ", ") + names[i];
    return text;
}

std::string joined(std::vector<std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
    return text;
}

}  // namespace

std::string without_volume_extension(std::string name) {
    if (const std::string_view of_file = extension_of_volume(name); !of_file.empty()) return without_extension(name, of_file);
    name = without_extension(name, compression_of(name));
    return without_extension(name, extension_of_volume(name));
}

bool has_volume_extension(const std::string& name) { return without_volume_extension(name) != name; }

std::vector<std::string_view> short_extensions(const Format& format) {
    std::vector<std::string_view> all;
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
    std::vector<std::string> names;
    for (const Format& format : formats())
        if (is_in_build(format)) names.emplace_back(format.name);
    return as_sentence(names, "and");
}

std::string formats_of_pipes() {
    std::vector<std::string> names;
    for (const Format& format : formats())
        if (format.read.pipes == Pipes::read) names.emplace_back(format.name);
    return as_sentence(names, "or");
}

std::string readable_extensions() {
    std::vector<std::string_view> all;
    for (const Format& format : formats())
        if (is_in_build(format)) std::ranges::copy(short_extensions(format), std::back_inserter(all));
    return joined(std::move(all));
}

std::string writable_extensions() {
    std::vector<std::string_view> all;
    for (const Format& format : formats())
        if (is_in_build(format) && format.write) std::ranges::copy(format.write->extensions, std::back_inserter(all));
    return joined(std::move(all));
}

std::string usual_output_extensions() {
    std::vector<std::string_view> all;
    constexpr std::size_t most = 5;
    for (const Format& format : formats())
        if (all.size() < most && is_in_build(format) && format.write && !format.write->extensions.empty())
            all.push_back(format.write->extensions.front());
    return joined(std::move(all));
}

std::vector<std::string_view> slice_extensions() {
    std::vector<std::string_view> all;
    for (const Format& format : formats()) std::ranges::copy(format.slice_extensions, std::back_inserter(all));
    return all;
}

}  // namespace voxcc::io
