// `voxcc info`: describes a file and the range of its values. The description is a JSON object, which is printed as text or as JSON.
#include "io/json_numbers.h"
#include "src/messages/printable.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

/// The range of the stored values, in the precision of their type. NaN values are only counted.
template <class T>
class ValueRange {
public:
    void add(std::span<const std::byte> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
            T value;
            std::memcpy(&value, bytes.data() + at, sizeof(T));
            if (value != value) {
                ++nans_;
                continue;
            }
            min_ = any_ ? std::min(min_, value) : value;
            max_ = any_ ? std::max(max_, value) : value;
            any_ = true;
        }
    }
    Json as_json(const io::Scaling& scaling) const {
        if (!any_) return {{"min", nullptr}, {"max", nullptr}, {"nan", nans_}};
        Json range{{"min", min_}, {"max", max_}, {"nan", nans_}};
        if (!scaling.is_identity()) {
            const double a = double(min_) * scaling.slope + scaling.intercept, b = double(max_) * scaling.slope + scaling.intercept;
            range["scaled_min"] = std::min(a, b);
            range["scaled_max"] = std::max(a, b);
        }
        return range;
    }

private:
    T min_{}, max_{};
    bool any_ = false;
    std::uint64_t nans_ = 0;
};

Json value_range(const ChosenVolume& volume, const InfoOptions& options) {
    const auto reader = open(volume);
    reader->read_once();
    const io::VolumeInfo& info = reader->info();
    ProgressBar progress(options.messages);
    return visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        ValueRange<T> range;
        for_each_row_buffer(*reader, [&](RowRange rows, std::span<const std::byte> bytes) {
            range.add(bytes);
            progress.update("range", rows.end(), info.extent.rows());
        });
        return range.as_json(info.scaling);
    });
}

Json datasets_of(const io::VolumeInfo& info) {
    Json datasets = Json::array();
    for (const io::Dataset& d : info.datasets) datasets.push_back({{"path", d.path}, {"type", d.type}, {"shape", d.shape}});
    return datasets;
}

/// The axes of a Zarr array, slowest first. What the file does not state is left out.
Json axes_of(const std::vector<io::ZarrAxis>& array) {
    Json axes = Json::array();
    for (const io::ZarrAxis& a : array) {
        Json axis = Json::object();
        for (const auto& [key, text] : {std::pair{"name", a.name}, {"type", a.type}, {"unit", a.unit}})
            if (!text.empty()) axis[key] = text;
        axis["size"] = a.size;
        axes.push_back(axis);
    }
    return axes;
}

Json levels_of(const std::vector<io::ResolutionLevel>& image) {
    Json levels = Json::array();
    for (const io::ResolutionLevel& level : image) {
        levels.push_back({{"path", level.path}, {"shape", level.shape}});
        if (!level.scale.empty()) levels.back()["scale"] = level.scale;
    }
    return levels;
}

Json chunks_of(const io::StoredChunks& stored) {
    Json chunks{{"shape", stored.shape}};
    if (!stored.shard.empty()) chunks["shard"] = stored.shard;
    chunks["total"] = stored.total;
    chunks["missing"] = stored.total - stored.stored;
    chunks["fill_value"] = stored.fill;
    return chunks;
}

const char* name_of(io::ArrayOrder order) { return order == io::ArrayOrder::c ? "C" : "Fortran"; }

/// The members that the details of one format add to the description, by their places in it.
struct FormatMembers {
    Json axes = Json::object(), volumes = Json::object(), storage = Json::object();
};

FormatMembers members_of(std::monostate) { return {}; }

FormatMembers members_of(const io::NumpyDetails& details) {
    FormatMembers members;
    members.axes["array_order"] = name_of(details.array.order);
    return members;
}

FormatMembers members_of(const io::ZarrDetails& details) {
    FormatMembers members;
    members.axes["array_order"] = name_of(details.array.order);
    members.axes["axes"] = axes_of(details.axes);
    if (!details.levels.empty()) members.storage["levels"] = levels_of(details.levels);
    members.storage["chunks"] = chunks_of(details.chunks);
    return members;
}

/// One line per volume with a name.
// "segment 1", "segment 2"  ->  "0: segment 1", "1: segment 2"
FormatMembers members_of(const io::DicomDetails& details) {
    FormatMembers members;
    for (std::size_t volume = 0; volume < details.volume_names.size(); ++volume)
        members.volumes["volume_list"].push_back(std::to_string(volume) + ": " + details.volume_names[volume]);
    return members;
}

/// The axes that the metadata of a TIFF file name, fastest first. Empty if two axes have the same name, or if there is only one.
Json page_axes_of(const io::VolumeInfo& info) {
    Json axes = Json::object();
    for (const io::VolumeAxis& axis : info.page_axes) axes[axis.name] = axis.size;
    return axes.size() > 1 && axes.size() == info.page_axes.size() ? axes : Json::object();
}

/// The names of the channels, in their order; null for a channel without a name. Empty if the file states none.
Json channel_names_of(const io::VolumeInfo& info) {
    Json names = Json::array();
    for (const io::VolumeAxis& axis : info.page_axes)
        if (axis.name == "C")
            for (const std::string& name : axis.positions) names.push_back(name.empty() ? Json() : Json(name));
    return names;
}

/// A finding about names that are not used; empty without one.
std::string note_on_channel_names(const io::VolumeInfo& info) {
    for (const io::VolumeAxis& axis : info.page_axes)
        if (!axis.ignored_names.empty()) return axis.ignored_names + "; the names are not used";
    return "";
}

/// One line per volume: its number and its position on each axis, with the name of the channel.
// axes {{"C", 2, {"DAPI", "CD45"}}, {"T", 3}}  ->  "0: C 0 (DAPI), T 0", "1: C 1 (CD45), T 0", "2: C 0 (DAPI), T 1", ...
Json volume_list(const io::VolumeInfo& info) {
    Json list = Json::array();
    for (std::int64_t volume = 0; volume < info.volumes; ++volume) {
        std::string line = std::to_string(volume) + ":";
        std::int64_t rest = volume;
        for (const io::VolumeAxis& axis : info.volume_axes) {
            const std::string name = axis.positions.empty() ? "" : axis.positions[std::size_t(rest % axis.size)];
            line += (line.ends_with(':') ? " " : ", ") + axis.name + " " + std::to_string(rest % axis.size);
            if (!name.empty()) line += " (" + one_line(name) + ")";
            rest /= axis.size;
        }
        list.push_back(line);
    }
    return list;
}

bool is_one_volume(const io::VolumeInfo& info, const ChosenVolume& volume) {
    return info.extent.voxels() > 0 && (info.volumes == 1 || volume.open.volume);
}

/// Describes a file. Properties that the file does not have are left out.
Json describe(const InfoOptions& options) {
    const ChosenVolume chosen = choose_volume(options.path, options.input);
    io::VolumeInfo info = describe_input(options.path, options.input);
    if (chosen.open.volume) open(chosen);                                          // checks that the file has the volume
    if (chosen.open.volume && info.extent.voxels() == 0) info = describe(chosen);  // the volumes have different sizes
    Json object{{"path", options.path}, {"format", info.format}};
    if (info.extent.voxels() > 0) {
        object["compression"] = info.compression;
        object["shape"] = {info.extent.nx, info.extent.ny, info.extent.nz};
        object["dimensions"] = info.dimensions;
        object["volumes"] = info.volumes;
        object["stored_type"] = info.stored_type;
        object["read_as"] = name_of(info.type);
    }
    const FormatMembers of_format = std::visit([](const auto& details) { return members_of(details); }, info.details);
    object.update(of_format.axes);
    if (const Json axes = page_axes_of(info); !axes.empty() && !object.contains("axes")) object["axes"] = axes;
    if (const Json names = channel_names_of(info); !names.empty()) object["channel_names"] = names;
    if (const std::string note = note_on_channel_names(info); !note.empty()) object["channel_names_note"] = note;
    if (!info.volume_axes.empty()) object["volume_order"] = "N = " + io::volume_order(info.volume_axes);
    object.update(of_format.volumes);
    if (info.volume_axes.size() > 1 && !object.contains("volume_list")) object["volume_list"] = volume_list(info);
    if (info.geometry.has_size()) {
        object["unit"] = info.geometry.unit ? io::name_of(*info.geometry.unit) : "unknown";
        if (const auto spacing = spacing_of(info)) object["spacing_" + stated_unit(info)] = *spacing;
        object["spacing_from"] = options.input.spacing ? "--spacing" : info.geometry.source;
    }
    if (info.geometry.affine) object["affine"] = *info.geometry.affine;
    if (!info.scaling.is_identity()) object["scaling"] = {{"slope", info.scaling.slope}, {"intercept", info.scaling.intercept}};
    if (!info.dataset.empty()) object["dataset"] = info.dataset;
    object.update(of_format.storage);
    if (!info.datasets.empty()) object["datasets"] = datasets_of(info);
    if (options.range == InfoOptions::Range::read && is_one_volume(info, chosen)) object["range"] = value_range(chosen, options);
    if (!info.warnings.empty()) object["warnings"] = info.warnings;
    return object;
}

std::string on_one_line(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_primitive()) return value.dump();
    std::string text;
    for (const auto& [key, member] : value.items())
        text += (text.empty() ? "" : "  ") + (value.is_object() ? key + " " : "") + on_one_line(member);
    return text;
}

/// The object with the lines of the text output. Channels have their positions, as in the list of volumes.
// "channel_names": ["DAPI", null]  ->  "0: DAPI", "1: no name"
Json with_lines(Json object) {
    if (!object.contains("channel_names")) return object;
    int position = 0;
    for (Json& name : object["channel_names"])
        name = std::to_string(position++) + ": " + (name.is_null() ? "no name" : one_line(name.get<std::string>()));
    return object;
}

// Whether each element of a list is printed on its own line: lists of lists, of objects and of texts.
bool needs_lines(const Json& value) {
    return value.is_array() && !value.empty() && (value.front().is_structured() || value.front().is_string());
}

std::string as_text(const Json& object) {
    std::size_t column = 13;
    for (const auto& [key, value] : object.items()) column = std::max(column, key.size() + 1);
    std::string text;
    for (const auto& [key, value] : object.items()) {
        std::string label = key;
        const Json lines = needs_lines(value) ? value : Json::array({value});
        for (const Json& line : lines) {
            text += label + std::string(column - label.size(), ' ') + on_one_line(line) + "\n";
            label.clear();
        }
    }
    return text;
}

}  // namespace

int run_info(const InfoOptions& options) {
    const Json object = io::with_written_numbers(describe(options));
    // JSON must be UTF-8, but a path may contain other bytes. They are replaced.
    print_result(options.format == TextFormat::text ? as_text(with_lines(object))
                                                    : object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return int(ExitCode::ok);
}

}  // namespace voxcc
