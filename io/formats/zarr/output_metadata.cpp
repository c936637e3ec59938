#include "io/formats/zarr/output_metadata.h"

#include "io/json_numbers.h"
#include "io/length_unit.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace voxcc::io::zarr {
namespace {

std::string text_of(const OrderedJson& json) { return with_kept_numbers(with_written_numbers(json).dump(2)) + "\n"; }

/// Position along one axis of the output.
struct Line {
    double scale = 1, translation = 0;
};

/// The positions along i, j and k, if the axis of the world that has the name of the array axis has them in rising order.
// i along +x with steps of 2 mm from -5 mm  ->  {2, -5}; i along -x  ->  {2, 0}
Line line_of(const Geometry& geometry, std::size_t column, std::size_t world) {
    if (!geometry.affine) return {geometry.spacing ? (*geometry.spacing)[column] : 1, 0};
    const Affine& affine = *geometry.affine;
    const double length = std::hypot(affine[0][column], affine[1][column], affine[2][column]);
    if (!std::isfinite(length) || length == 0) return {geometry.spacing ? (*geometry.spacing)[column] : 1, 0};
    const bool is_straight = affine[world][column] == length && std::isfinite(affine[world][3]);
    return {length, is_straight ? affine[world][3] : 0};
}

/// The names of the axes of a volume, slowest first: the names of a Zarr input, or z, y and x.
std::vector<std::string> names_of_volume(const VolumeInfo& like, std::size_t axes) {
    std::vector<std::string> names;
    if (const auto* input = std::get_if<ZarrDetails>(&like.details))
        for (const ZarrAxis& axis : input->axes)
            if (axis.name == "x" || axis.name == "y" || axis.name == "z") names.push_back(axis.name);
    std::vector<std::string> sorted = names;
    std::ranges::sort(sorted);
    const bool are_usable = names.size() == axes && std::ranges::adjacent_find(sorted) == sorted.end();
    return are_usable ? names : axes == 2 ? std::vector<std::string>{"y", "x"} : std::vector<std::string>{"z", "y", "x"};
}

/// @param factors of the voxels of a level, relative to the volume
OrderedJson transformations_of(const std::vector<Line>& lines, const std::vector<double>& factors, Reduction reduction) {
    OrderedJson scale = OrderedJson::array(), translation = OrderedJson::array();
    bool is_translated = false;
    for (std::size_t axis = 0; axis < lines.size(); ++axis) {
        const double centre = reduction == Reduction::mode ? (factors[axis] - 1) / 2 : 0;  // of a block, in voxels of the volume
        scale.push_back(lines[axis].scale * factors[axis]);
        translation.push_back(lines[axis].translation + centre * lines[axis].scale);
        is_translated = is_translated || translation.back() != 0.0;
    }
    OrderedJson list = OrderedJson::array({{{"type", "scale"}, {"scale", scale}}});
    if (is_translated) list.push_back({{"type", "translation"}, {"translation", translation}});
    return list;
}

OrderedJson multiscales(const ImageDescription& d, const std::vector<ArrayLayout>& levels) {
    OrderedJson datasets = OrderedJson::array(), image = OrderedJson::object();
    for (std::size_t level = 0; level < levels.size(); ++level) {
        datasets.push_back({{"path", levels[level].path}});
        if (!d.transformations[level].is_null()) datasets.back()["coordinateTransformations"] = d.transformations[level];
    }
    if (d.version == "0.4") image["version"] = d.version;
    image["name"] = d.name;
    image["axes"] = d.axes;
    image["datasets"] = datasets;
    if (!d.common_transformations.is_null()) image["coordinateTransformations"] = d.common_transformations;
    if (d.pyramid) {
        const bool is_mode = *d.pyramid == Reduction::mode;
        image["type"] = is_mode ? "mode" : "nearest";
        image["metadata"] = {{"method", "voxcc"},
                             {"description", is_mode ? "the most frequent value of a block" : "the first voxel of a block"}};
    }
    return OrderedJson::array({image});
}

/// Without "colors": napari shows all labels that the list leaves out as transparent, and a colour for each label would be a document of
/// many megabytes.
OrderedJson image_label(const ImageDescription& d) {
    OrderedJson label = OrderedJson::object();
    label["version"] = d.version;
    if (d.kind == ImageDescription::Kind::labels_of_image) label["source"] = {{"image", "../../"}};
    return label;
}

OrderedJson codecs_of(const ArrayForm& form) {
    OrderedJson codecs = OrderedJson::array();
    codecs.push_back({{"name", "bytes"}, {"configuration", {{"endian", "little"}}}});
    if (form.compress > 0) codecs.push_back({{"name", "zstd"}, {"configuration", {{"level", form.compress}, {"checksum", true}}}});
    else codecs.push_back({{"name", "crc32c"}});
    return codecs;
}

std::string dtype_of(ScalarType type) {
    const char kind = type == ScalarType::f32 || type == ScalarType::f64 ? 'f' : name_of(type).starts_with('u') ? 'u' : 'i';
    return (size_of(type) == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(size_of(type));
}

OrderedJson zero_of(ScalarType type) { return type == ScalarType::f32 || type == ScalarType::f64 ? OrderedJson(0.0) : OrderedJson(0); }

OrderedJson array_v3(const ArrayForm& form, const ArrayLayout& layout, const std::vector<std::string>& axis_names,
                     const OrderedJson& attributes) {
    OrderedJson sharding = OrderedJson::object();
    sharding["chunk_shape"] = form.chunk(layout.chunk);
    sharding["codecs"] = codecs_of(form);
    sharding["index_codecs"] = OrderedJson::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}, {{"name", "crc32c"}}});
    sharding["index_location"] = "end";
    OrderedJson array = OrderedJson::object();
    array["zarr_format"] = 3;
    array["node_type"] = "array";
    array["shape"] = form.shape(layout.extent);
    array["data_type"] = std::string(name_of(form.type));
    array["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", form.chunk(layout.unit)}}}};
    array["chunk_key_encoding"] = {{"name", "default"}, {"configuration", {{"separator", "/"}}}};
    array["fill_value"] = zero_of(form.type);
    array["codecs"] = OrderedJson::array({{{"name", "sharding_indexed"}, {"configuration", sharding}}});
    array["attributes"] = attributes;
    array["dimension_names"] = axis_names;
    return array;
}

OrderedJson array_v2(const ArrayForm& form, const ArrayLayout& layout) {
    OrderedJson array = OrderedJson::object();
    array["zarr_format"] = 2;
    array["shape"] = form.shape(layout.extent);
    array["chunks"] = form.chunk(layout.chunk);
    array["dtype"] = dtype_of(form.type);
    array["compressor"] = form.compress > 0 ? OrderedJson{{"id", "zstd"}, {"level", form.compress}} : OrderedJson(nullptr);
    array["fill_value"] = zero_of(form.type);
    array["order"] = "C";
    array["filters"] = nullptr;
    array["dimension_separator"] = "/";
    return array;
}

std::string in(const std::string& folder, const std::string& name) { return folder.empty() ? name : folder + "/" + name; }

OrderedJson group_v3(const OrderedJson& ome) { return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"ome", ome}}}}; }

OrderedJson member(const OrderedJson& json, const std::string& key) {
    return json.is_object() && json.contains(key) ? json.at(key) : OrderedJson(nullptr);
}

/// Adds a name to the list in an object.
void add_to_labels(OrderedJson& object, const std::string& name) {
    if (!object.is_object()) object = OrderedJson::object();
    OrderedJson& labels = object["labels"];
    if (!labels.is_array()) labels = OrderedJson::array();
    if (std::ranges::find(labels, OrderedJson(name)) == labels.end()) labels.push_back(name);
}

/// The groups between an image and its levels.
// "scale0/image", "scale1/image"  ->  "scale0", "scale1"
std::set<std::string> groups_of(const std::vector<ArrayLayout>& levels) {
    std::set<std::string> groups;
    for (const ArrayLayout& level : levels)
        for (std::size_t slash = level.path.find('/'); slash != std::string::npos; slash = level.path.find('/', slash + 1))
            groups.insert(level.path.substr(0, slash));
    return groups;
}

}  // namespace

ImageDescription describe_output(const VolumeInfo& like, const ArrayForm& form, const std::vector<Extent>& levels, Reduction reduction) {
    ImageDescription description;
    const Geometry geometry = usable(like.geometry);
    const std::size_t outer = form.outer.size(), axes = form.axes_of_volume;
    std::vector<Line> lines(outer);
    for (const OuterAxis& axis : form.outer)
        description.axes.push_back({{"name", axis.name}, {"type", axis.name == "c" ? "channel" : "time"}});
    const std::vector<std::string> names = names_of_volume(like, axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        lines.push_back(line_of(geometry, axes - 1 - axis, std::string_view("xyz").find(names[axis])));
        description.axes.push_back({{"name", names[axis]}, {"type", "space"}});
        if (geometry.has_size() && geometry.unit) description.axes.back()["unit"] = unit_word(*geometry.unit);
    }
    std::vector<double> factors(outer + axes, 1);
    for (std::size_t level = 0; level < levels.size(); ++level) {
        for (std::size_t axis = 0; axis < axes && level > 0; ++axis) {
            const Extent& before = levels[level - 1];
            if (std::array{before.nx, before.ny, before.nz}[axes - 1 - axis] > 1) factors[outer + axis] *= 2;
        }
        description.transformations.push_back(transformations_of(lines, factors, reduction));
    }
    return description;
}

std::vector<std::string> axis_names(const ImageDescription& description) {
    std::vector<std::string> names;
    for (const OrderedJson& axis : description.axes) names.push_back(axis.at("name").get<std::string>());
    return names;
}

std::vector<Document> array_documents(const ArrayForm& form, const ArrayLayout& layout, const std::vector<std::string>& axis_names,
                                      std::int64_t files) {
    OrderedJson attributes = OrderedJson::object();
    attributes["voxcc"] = {{"chunks_written", files}};
    if (form.format == 3) return {{in(layout.path, "zarr.json"), text_of(array_v3(form, layout, axis_names, attributes))}};
    attributes["_ARRAY_DIMENSIONS"] = axis_names;
    return {{in(layout.path, ".zarray"), text_of(array_v2(form, layout))}, {in(layout.path, ".zattrs"), text_of(attributes)}};
}

std::vector<Document> group_documents(const ImageDescription& description, const std::vector<ArrayLayout>& levels) {
    const bool is_v3 = description.version == "0.5";
    OrderedJson ome = OrderedJson::object();
    if (is_v3) ome["version"] = description.version;
    ome["multiscales"] = multiscales(description, levels);
    if (description.kind != ImageDescription::Kind::image) ome["image-label"] = image_label(description);
    const std::string v2 = text_of({{"zarr_format", 2}});
    std::vector<Document> documents;
    if (is_v3) documents = {{"zarr.json", text_of(group_v3(ome))}};
    else documents = {{".zgroup", v2}, {".zattrs", text_of(ome)}};
    const OrderedJson plain{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", OrderedJson::object()}};
    for (const std::string& group : groups_of(levels))
        documents.push_back(is_v3 ? Document{in(group, "zarr.json"), text_of(plain)} : Document{in(group, ".zgroup"), v2});
    return documents;
}

std::vector<Document> label_list_documents(const OrderedJson& before, const std::string& version, const std::string& name) {
    if (version == "0.4") {
        OrderedJson attributes = before;
        add_to_labels(attributes, name);
        return {{".zgroup", text_of({{"zarr_format", 2}})}, {".zattrs", text_of(attributes)}};
    }
    OrderedJson group = before.is_object() ? before : group_v3(OrderedJson::object());
    OrderedJson& attributes = group["attributes"];
    OrderedJson ome = member(attributes, "ome");
    if (!ome.is_object()) ome = OrderedJson::object();
    if (!ome.contains("version")) ome["version"] = version;
    add_to_labels(ome, name);
    attributes["ome"] = ome;
    return {{"zarr.json", text_of(group)}};
}

}  // namespace voxcc::io::zarr
