#include "io/formats/zarr/ngff.h"

#include "io/formats/zarr/node_path.h"

#include <algorithm>

namespace voxcc::io::zarr {
namespace {

constexpr std::size_t most_levels = 64, most_image_axes = 8, most_transformations = 64;

// 0.1 and 0.2 have these axes; 0.3 names them.
std::vector<Axis> implied_axes(const std::vector<std::string>& names) {
    std::vector<Axis> axes;
    for (const std::string& name : names) axes.push_back({name, name == "t" ? "time" : name == "c" ? "channel" : "space", ""});
    return axes;
}

std::vector<Axis> parse_axes(const JsonValue& image) {
    const auto stated = image.find("axes");
    if (!stated) return implied_axes({"t", "c", "z", "y", "x"});
    std::vector<Axis> axes;
    std::vector<std::string> names;
    const std::vector<JsonValue> items = stated->items();
    if (items.empty() || items.size() > most_image_axes) stated->refuse("it must have 1 to 8 axes");
    for (const JsonValue& item : items) {
        if (item.is_text()) {
            names.push_back(item.text());
            continue;
        }
        Axis axis{item.at("name").text(), "", ""};
        if (const auto type = item.find("type"); type && !type->is_null()) axis.type = type->text();
        if (const auto unit = item.find("unit"); unit && !unit->is_null()) axis.unit = unit->text();
        if (axis.type.empty()) axis.type = implied_axes({axis.name}).front().type;
        axes.push_back(axis);
    }
    if (!names.empty() && !axes.empty()) stated->refuse("it must have texts or objects, and not both");
    return names.empty() ? axes : implied_axes(names);
}

std::vector<double> vector_of(const JsonValue& transform, const std::string& type, std::size_t axes) {
    if (transform.find("path")) transform.refuse("transformations in arrays are not read", ErrorKind::unsupported_file);
    const JsonValue stated = transform.at(type);
    const std::vector<double> numbers = stated.numbers();
    if (numbers.size() != axes) stated.refuse("it must have one number per axis");
    return numbers;
}

/// Applies a list of transformations after the ones of a level.
void apply(const JsonValue& list, Level& level, std::size_t axes) {
    if (level.scale.empty()) level.scale.assign(axes, 1), level.translation.assign(axes, 0);
    const std::vector<JsonValue> transforms = list.items();
    if (transforms.size() > most_transformations) list.refuse("it must have at most 64 transformations", ErrorKind::unsupported_file);
    for (const JsonValue& transform : transforms) {
        const std::string type = transform.at("type").text();
        if (type == "identity") continue;
        if (type != "scale" && type != "translation")
            transform.refuse("transformations of the type '" + type + "' are not read", ErrorKind::unsupported_file);
        const std::vector<double> numbers = vector_of(transform, type, axes);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (type == "translation") {
                level.translation[axis] += numbers[axis];
                continue;
            }
            if (numbers[axis] == 0) transform.refuse("a scale is 0");
            level.scale[axis] *= numbers[axis];
            level.translation[axis] *= numbers[axis];
        }
    }
}

Multiscales parse_image(const JsonValue& image, const std::string& version) {
    Multiscales parsed{version, parse_axes(image), {}};
    const JsonValue datasets = image.at("datasets");
    if (datasets.items().empty() || datasets.items().size() > most_levels) datasets.refuse("it must have 1 to 64 levels");
    const auto common = image.find("coordinateTransformations");
    for (const JsonValue& dataset : datasets.items()) {
        const JsonValue stated = dataset.at("path");
        const auto path = node_path(stated.text());
        if (!path || path->empty() || stated.text().starts_with('/')) stated.refuse("it must be the path of an array below the group");
        Level level{*path, {}, {}};
        if (const auto own = dataset.find("coordinateTransformations")) apply(*own, level, parsed.axes.size());
        if (common && !common->is_null()) apply(*common, level, parsed.axes.size());
        parsed.levels.push_back(std::move(level));
    }
    return parsed;
}

/// The version that an image states itself, up to 0.4.
std::string version_of(const JsonValue& image) {
    const auto version = image.find("version");
    if (version && version->is_text()) return version->text();
    const auto axes = image.find("axes");
    if (!axes || !axes->is_array() || axes->items().empty()) return "0.1";
    return axes->items().front().is_text() ? "0.3" : "0.4";
}

[[noreturn]] void refuse_version(const JsonValue& value, const std::string& version) {
    value.refuse("version " + version.substr(0, 20) + " of NGFF is not read; choose an array with --dataset", ErrorKind::unsupported_file);
}

/// The names of the channels of a group with one image. Only viewers need the metadata that state them, so a name that is not a text is
/// left out and is not an error.
std::vector<std::string> channel_names(const nlohmann::json& ome) {
    const auto member = [](const nlohmann::json& object, const char* key) {
        return object.is_object() && object.contains(key) ? object[key] : nlohmann::json();
    };
    std::vector<std::string> names;
    const nlohmann::json channels = member(member(ome, "omero"), "channels");
    if (!channels.is_array()) return names;
    for (const nlohmann::json& channel : channels) {
        const nlohmann::json label = member(channel, "label");
        names.push_back(label.is_string() ? label.get<std::string>() : std::string());
    }
    return names;
}

void parse_plate(const JsonValue& ome, Group& group) {
    group.kind = Group::Kind::plate;
    const std::string list = ome.find("plate") ? "wells" : "images";
    const JsonValue plate = ome.at(ome.find("plate") ? "plate" : "well");
    if (const auto items = plate.find(list))
        for (const JsonValue& item : items->items()) group.fields.push_back(item.at("path").text());
}

}  // namespace

Group parse_group(const JsonValue& attributes, int format) {
    Group group;
    const auto nested = attributes.find("ome");
    if (format == 3 && (!nested || !nested->is_object())) return group;
    const JsonValue ome = format == 3 ? *nested : attributes;
    std::string version;
    if (format == 3) {
        const auto stated = ome.find("version");
        version = stated ? stated->text() : "0.5";
        if (version != "0.5" && !version.starts_with("0.5.")) refuse_version(ome, version);
    }
    if (ome.find("plate") || ome.find("well")) {
        parse_plate(ome, group);
    } else if (const auto images = ome.find("multiscales")) {
        group.kind = ome.find("image-label") ? Group::Kind::label_image : Group::Kind::image;
        if (images->items().empty()) images->refuse("it has no image");
        for (const JsonValue& image : images->items()) {
            const std::string own = format == 3 ? version : version_of(image);
            const bool is_known = format == 3 || own == "0.1" || own == "0.2" || own == "0.3" || own == "0.4" || own.starts_with("0.4.");
            if (!is_known) refuse_version(image, own);
            group.multiscales.push_back(parse_image(image, own));
        }
        if (group.multiscales.size() == 1) group.multiscales.front().channel_names = channel_names(ome.json());
    } else if (ome.find("bioformats2raw.layout") || ome.find("series")) {
        group.kind = Group::Kind::several_images;
    }
    return group;
}

}  // namespace voxcc::io::zarr
