#include "io/formats/zarr/array_volumes.h"

#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace voxcc::io::zarr {
namespace {

bool counts_volumes(const std::string& name) {
    return name == "c" || name == "t" || name == "C" || name == "T" || name == "channel" || name == "time";
}

bool is_time_or_channel(const ZarrAxis& axis) { return axis.type == "time" || axis.type == "channel"; }

/// The axis of the world, 0 for x, of each axis of space. Without the names x, y and z, the fastest axis is x.
std::vector<std::size_t> world_axes(const ArrayVolumes& volumes) {
    std::vector<std::size_t> world, by_order;
    for (std::size_t i = 0; i < volumes.space.size(); ++i) {
        by_order.push_back(volumes.space.size() - 1 - i);
        const std::string& name = volumes.axes[volumes.space[i]].name;
        const std::size_t at = name.size() == 1 ? std::string_view("xyz").find(char(std::tolower(static_cast<unsigned char>(name[0])))) : 3;
        if (at < 3 && std::ranges::find(world, at) == world.end()) world.push_back(at);
    }
    return world.size() == volumes.space.size() ? world : by_order;
}

/// The scale of each axis of space in one unit.
struct Lengths {
    std::vector<double> scale, translation;
    std::optional<LengthUnit> unit;  // empty: unknown
};

/// Nothing without a scale, or with a note if the units of the axes are not comparable.
std::optional<Lengths> lengths_of(const ChosenArray& chosen, const ArrayVolumes& volumes, std::vector<std::string>& notes) {
    const Level& level = chosen.image->levels[chosen.level];
    if (level.scale.empty()) return {};
    std::vector<std::string> texts;
    for (const std::size_t axis : volumes.space) texts.push_back(volumes.axes[axis].unit);
    const AxisUnits units = units_of_axes(texts);
    if (!units.are_comparable) {
        notes.push_back(note_on_units("the metadata of OME-Zarr", texts));
        return {};
    }
    Lengths lengths;
    lengths.unit = units.common();
    for (std::size_t i = 0; i < volumes.space.size(); ++i) {
        lengths.scale.push_back(units.in_common_unit(level.scale[volumes.space[i]], i));
        lengths.translation.push_back(units.in_common_unit(level.translation[volumes.space[i]], i));
    }
    return lengths;
}

Geometry geometry_of(const Lengths& lengths, const ArrayVolumes& volumes) {
    const std::vector<std::size_t> world = world_axes(volumes);
    const std::size_t count = volumes.space.size();
    Vector3 spacing{1, 1, 1};
    Affine affine{};
    std::vector<bool> used(3, false);
    bool is_plain = true;  // the position is index times spacing
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t column = count - 1 - i;  // i, j or k
        spacing[column] = std::abs(lengths.scale[i]);
        affine[world[i]][column] = lengths.scale[i];
        affine[world[i]][3] = lengths.translation[i];
        used[world[i]] = true;
        is_plain = is_plain && world[i] == column && lengths.translation[i] == 0 && lengths.scale[i] > 0;
    }
    if (count == 2) affine[std::size_t(std::ranges::find(used, false) - used.begin())][2] = 1;
    Geometry geometry{.spacing = spacing, .unit = lengths.unit, .source = "the metadata of OME-Zarr"};
    if (!is_plain) geometry.affine = affine;
    return geometry;
}

}  // namespace

std::string volume_axis_name(const ZarrAxis& axis) {
    if (axis.type == "channel" || axis.name == "channel") return "C";
    if (axis.type == "time" || axis.name == "time") return "T";
    std::string name = axis.name;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return name;
}

ArrayVolumes volumes_of(const ChosenArray& chosen, const std::string& subject) {
    const ArrayMetadata& array = chosen.array;
    const std::size_t rank = array.shape.size();
    const auto refuse = [&](const std::string& cause) { throw Error(ErrorKind::invalid_file, subject, cause); };
    if (rank < 2) refuse("has one axis, and is not a volume; choose another array");
    if (chosen.image && chosen.image->axes.size() != rank)
        refuse("its metadata state " + std::to_string(chosen.image->axes.size()) + " axes, but the array has " + std::to_string(rank));
    ArrayVolumes volumes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const Axis stated = chosen.image ? chosen.image->axes[axis] : Axis{array.axis_names[axis], "", ""};
        volumes.axes.push_back({stated.name, stated.type, stated.unit, array.shape[axis]});
        const bool is_space = chosen.image ? stated.type == "space" : !counts_volumes(stated.name);
        if (is_space) volumes.space.push_back(axis);
    }
    if (!chosen.image && volumes.space.size() > 3) volumes.space.erase(volumes.space.begin(), volumes.space.end() - 3);
    if (volumes.space.size() < 2 || volumes.space.size() > 3)
        refuse("has " + std::to_string(volumes.space.size()) + " axes of space; 2 or 3 are read");
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (std::ranges::find(volumes.space, axis) == volumes.space.end()) volumes.volumes.push_back(axis);
    return volumes;
}

VolumeAxes volume_axes(const ArrayVolumes& volumes, std::int64_t volume) {
    VolumeAxes axes;
    axes.x = volumes.space.back();
    axes.y = volumes.space[volumes.space.size() - 2];
    if (volumes.space.size() == 3) axes.z = volumes.space[0];
    axes.start.assign(volumes.axes.size(), 0);
    for (std::size_t i = volumes.volumes.size(); i-- > 0;) {
        const std::int64_t size = volumes.axes[volumes.volumes[i]].size;
        axes.start[volumes.volumes[i]] = volume % size;
        volume /= size;
    }
    return axes;
}

VolumeInfo describe_array(const ChosenArray& chosen, const ArrayVolumes& volumes) {
    const ArrayMetadata& array = chosen.array;
    const VolumeAxes axes = volume_axes(volumes, 0);
    VolumeInfo info;
    info.format = chosen.image ? "OME-Zarr " + chosen.image->version : "Zarr v" + std::to_string(array.format);
    info.compression = array.compression();
    info.extent = {array.shape[axes.x], array.shape[axes.y], axes.z ? array.shape[*axes.z] : 1};
    info.type = array.type.type;
    info.stored_type = array.type.name;
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    ZarrDetails details;
    details.array.count = int(volumes.space.size());
    details.axes = volumes.axes;
    info.details = std::move(details);
    if (!chosen.path.empty()) info.dataset = "/" + chosen.path;
    info.warnings = array.warnings;
    bool is_named = true;
    for (std::size_t i = volumes.volumes.size(); i-- > 0;) {
        const ZarrAxis& axis = volumes.axes[volumes.volumes[i]];
        info.volumes *= axis.size;
        is_named = is_named && (!axis.name.empty() || is_time_or_channel(axis));
        info.page_axes.push_back({volume_axis_name(axis), axis.size});
        if (chosen.image && info.page_axes.back().name == "C")
            info.page_axes.back() = with_names(std::move(info.page_axes.back()), chosen.image->channel_names);
        if (axis.size > 1) info.volume_axes.push_back(info.page_axes.back());
    }
    if (!is_named) info.volume_axes.clear(), info.page_axes.clear();
    if (!chosen.image) return info;
    const auto lengths = lengths_of(chosen, volumes, info.geometry.notes);
    if (lengths) info.geometry = geometry_of(*lengths, volumes);
    return info;
}

}  // namespace voxcc::io::zarr
