#include "io/shared_by_formats.h"

#include <algorithm>
#include <cctype>

namespace voxcc::io {

bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions) {
    return std::any_of(extensions.begin(), extensions.end(), [&](std::string_view extension) {
        return path.size() > extension.size() &&
               std::equal(extension.begin(), extension.end(), path.end() - std::ptrdiff_t(extension.size()),
                          [](char wanted, char c) { return wanted == char(std::tolower(static_cast<unsigned char>(c))); });
    });
}

bool is_ome_name(const std::string& path) { return has_extension(path, {".ome.tif", ".ome.tiff"}); }

std::string without_extension(const std::string& path, std::string_view extension) {
    return path.substr(0, path.size() - extension.size());
}

std::string name_of(Content content) {
    switch (content) {
        case Content::labels: return "labels";
        case Content::values: return "values";
        case Content::sizes: return "sizes";
        case Content::mask: return "mask";
    }
    throw Error(ErrorKind::internal, "volume", "an unknown content");
}

VolumeAxis with_names(VolumeAxis axis, std::vector<std::string> names) {
    constexpr std::size_t most_bytes = 256;
    for (std::string& name : names)
        if (name.size() > most_bytes) name.clear();
    if (std::ranges::all_of(names, [](const std::string& name) { return name.empty(); })) return axis;
    if (std::int64_t(names.size()) == axis.size) axis.positions = std::move(names);
    else
        axis.ignored_names = "states " + std::to_string(names.size()) + (names.size() == 1 ? " name for " : " names for ") +
                             std::to_string(axis.size) + (axis.size == 1 ? " channel" : " channels");
    return axis;
}

std::string ignored_bytes(std::int64_t bytes, const std::string& last) {
    return std::to_string(bytes) + (bytes == 1 ? " byte after " : " bytes after ") + last + (bytes == 1 ? " is ignored" : " are ignored");
}

std::string volume_numbers(std::int64_t volumes) { return volumes > 1 ? "0.." + std::to_string(volumes - 1) : std::string(); }

std::int64_t chosen_volume(const VolumeInfo& info, const OpenOptions& options, const std::string& details) {
    const std::string held = "holds " + std::to_string(info.volumes) + (info.volumes == 1 ? " volume" : " volumes" + details);
    if (!options.volume && info.volumes > 1) throw Error(ErrorKind::several_volumes, info.path, held, volume_numbers(info.volumes));
    const std::int64_t volume = options.volume.value_or(0);
    if (volume < 0 || volume >= info.volumes)
        throw Error(ErrorKind::no_such_volume, info.path, "has no volume " + std::to_string(volume) + ", because it " + held,
                    volume_numbers(info.volumes));
    return volume;
}

std::string listed_names(const std::vector<std::string>& names) {
    constexpr std::size_t most_names = 20, most_bytes = 500;
    std::string text;
    std::size_t shown = 0, further = 0;
    for (const std::string& name : names) {
        if (name.empty()) continue;
        if (shown == most_names || text.size() + name.size() > most_bytes) {
            ++further;
            continue;
        }
        text += (shown++ > 0 ? ", " : "") + name;
    }
    return further == 0 ? text : text + " and " + std::to_string(further) + " more";
}

std::string volume_order(const std::vector<VolumeAxis>& axes) {
    std::string order;
    std::int64_t step = 1;
    for (const VolumeAxis& axis : axes) {
        std::string term = axis.name;
        std::ranges::transform(term, term.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        if (step > 1) term += " * " + std::to_string(step);
        order = term + (order.empty() ? "" : " + ") + order;
        step *= axis.size;
    }
    return order;
}

}  // namespace voxcc::io
