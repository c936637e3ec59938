#include "src/pipeline/channel_images.h"

#include "src/errors/program_error.h"
#include "src/pipeline/axis_positions.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/component_table.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/naming.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <set>

namespace voxcc {
namespace {

using By = AxisPositions::By;

auto channels_in(Selector& selector) {
    return std::ranges::find_if(selector.axes, [](const AxisPositions& a) { return a.axis == 'C' && a.by == By::all; });
}

std::string prefix_of(const std::string& name, std::int64_t position) {
    std::string prefix;
    bool skips = false;
    for (const unsigned char c : name) {
        const bool is_allowed = c < 0x80 && (std::isalnum(c) || c == '_');
        if (is_allowed && skips && !prefix.empty()) prefix += '_';
        if (is_allowed) prefix += char(c);
        skips = !is_allowed;
    }
    if (prefix.empty()) return "c" + std::to_string(position);
    return std::isdigit(static_cast<unsigned char>(prefix.front())) ? "c" + prefix : prefix;
}

/// Whether a selector can choose a channel by its name: no other channel has it, and it has no character with a meaning in a path.
bool chooses_by_name(const std::string& name, const io::VolumeAxis& channels) {
    const auto is_unsuitable = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/' || c == '{'; };
    return !name.empty() && std::ranges::none_of(name, is_unsuitable) && std::ranges::count(channels.positions, name) == 1;
}

/// The axis of the channels of an image. @param path without words
io::VolumeAxis channels_of(const std::string& path, const InputOptions& input) {
    constexpr std::int64_t most_channels = 4096;
    const io::VolumeInfo info = describe_input(path, options_of_companion(input));
    const io::VolumeAxis channels = axis_named(path, 'C', selectable_axes(info));
    if (channels.size > most_channels)
        throw ProgramError(ErrorKind::no_such_volume, path,
                           "has " + std::to_string(channels.size) + " channels, but at most 4096 can be measured together",
                           "choose some of them, as in --intensity '" + divide_input(path).path + "[c=0]'");
    return channels;
}

[[noreturn]] void refuse_difference(const std::string& a, const io::VolumeAxis& of_a, const std::string& b, const io::VolumeAxis& of_b) {
    const auto text = [](const io::VolumeAxis& channels) {
        const std::string names = io::listed_names(channels.positions);
        return names.empty() ? std::to_string(channels.size) + " channels without names" : "the channels " + names;
    };
    throw ProgramError(ErrorKind::invalid_argument, b, "has " + text(of_b) + ", but " + a + " has " + text(of_a),
                       "run voxcc once for each kind of file, or choose single channels, as in [c=0]");
}

/// The channels of the images of all inputs. @param path can have words
io::VolumeAxis common_channels(const std::string& path, const InputOptions& input, const std::vector<BatchInput>& inputs) {
    std::set<std::string> seen;
    std::string first;
    std::optional<io::VolumeAxis> channels;
    std::exception_ptr failure;
    for (const BatchInput& of : inputs) {
        try {
            const std::string own = expand(path, of, std::nullopt);
            if (!seen.insert(own).second) continue;
            io::VolumeAxis found = channels_of(own, input);
            if (channels && (found.size != channels->size || found.positions != channels->positions))
                refuse_difference(first, *channels, own, found);
            if (!channels) first = own, channels = std::move(found);
        } catch (const Error& error) {
            if (channels && error.kind() == ErrorKind::invalid_argument) throw;
            if (!failure) failure = std::current_exception();
        }
    }
    if (!channels) std::rethrow_exception(failure);
    return *channels;
}

}  // namespace

bool names_all_channels(const std::string& input) {
    try {
        Selector selector = parse_selector(divide_input(input).selector, input);
        return channels_in(selector) != selector.axes.end();
    } catch (const Error&) {
        return false;
    }
}

bool has_all_channels(const IntensityOptions& options) {
    return std::ranges::any_of(options.images, [](const IntensityImage& image) { return names_all_channels(image.path); });
}

std::vector<std::string> channel_prefixes(const io::VolumeAxis& channels) {
    std::vector<std::string> prefixes;
    std::map<std::string, std::int64_t> uses;
    for (std::int64_t c = 0; c < channels.size; ++c) {
        prefixes.push_back(prefix_of(channels.positions.empty() ? "" : channels.positions[std::size_t(c)], c));
        ++uses[prefixes.back()];
    }
    for (std::size_t c = 0; c < prefixes.size(); ++c)
        if (uses.at(prefixes[c]) > 1) prefixes[c] += "_" + std::to_string(c);
    return prefixes;
}

IntensityOptions with_channel_images(IntensityOptions options, const InputOptions& input, const std::vector<BatchInput>& inputs) {
    std::vector<IntensityImage> images;
    for (const IntensityImage& image : options.images) {
        if (!names_all_channels(image.path)) {
            images.push_back(image);
            continue;
        }
        const SelectedFile file = divide_input(image.path);
        Selector selector = parse_selector(file.selector, image.path);
        const auto chosen = channels_in(selector);
        const io::VolumeAxis channels = common_channels(image.path, input, inputs);
        const std::vector<std::string> prefixes = channel_prefixes(channels);
        for (std::int64_t c = 0; c < channels.size; ++c) {
            const std::string name = channels.positions.empty() ? "" : channels.positions[std::size_t(c)];
            *chosen = chooses_by_name(name, channels) ? AxisPositions{'C', {}, By::name, name} : AxisPositions{'C', {c, {}}};
            images.push_back({(image.name.empty() ? "" : image.name + "_") + prefixes[std::size_t(c)], file.path + text_of(selector)});
        }
    }
    options.images = std::move(images);
    return options;
}

LabelOptions with_channel_images(LabelOptions options) {
    if (!has_all_channels(options.intensity)) return options;
    options.intensity = with_channel_images(std::move(options.intensity), options.input, options.inputs);
    check_image_columns(options.intensity);
    check_table_options(options);
    return options;
}

StatsOptions with_channel_images(StatsOptions options) {
    if (!has_all_channels(options.intensity)) return options;
    options.intensity = with_channel_images(std::move(options.intensity), options.input, {BatchInput{options.labels}});
    check_image_columns(options.intensity);
    return options;
}

}  // namespace voxcc
