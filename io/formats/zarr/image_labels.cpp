#include "io/formats/zarr/image_labels.h"

#include "io/formats/zarr/array_volumes.h"
#include "io/formats/zarr/hierarchy.h"
#include "io/formats/zarr/node_path.h"
#include "io/formats/zarr/stores.h"

#include <filesystem>

namespace voxcc::io::zarr {
namespace {

[[noreturn]] void refuse(const LabelsOfImage& labels, const std::string& cause) {
    throw Error(ErrorKind::cannot_create, labels.folder() + "/" + labels.name, "the image '" + labels.image + "' " + cause);
}

OrderedJson member(const nlohmann::json& json, const std::string& key) {
    return json.is_object() && json.contains(key) ? OrderedJson(json.at(key)) : OrderedJson(nullptr);
}

ArrayMetadata read_level(const Store& store, const LabelsOfImage& labels, const std::string& path) {
    const auto node = read_node(store, path);
    if (!node || !node->is_array) refuse(labels, "has no array '" + path + "', which its metadata name");
    return array_of(*node);
}

/// The axes of the labels are the axes of the image. @param shape of the image
ArrayForm form_of(const LabelsOfImage& labels, const Multiscales& image, int format, const std::vector<std::int64_t>& shape) {
    ArrayForm form{.format = format, .axes_of_volume = 0};
    for (std::size_t i = 0; i < image.axes.size(); ++i) {
        const Axis& axis = image.axes[i];
        const bool is_space = axis.type == "space";
        if (!is_space && form.axes_of_volume > 0) refuse(labels, "has an axis of space before another axis");
        if (is_space) ++form.axes_of_volume;
        else form.outer.push_back({volume_axis_name({axis.name, axis.type, "", 1}), shape[i], 1});
    }
    if (form.axes_of_volume < 2 || form.axes_of_volume > 3) refuse(labels, "does not have 2 or 3 axes of space");
    return form;
}

Extent extent_of(const std::vector<std::int64_t>& shape, std::size_t axes_of_volume) {
    const std::size_t axes = shape.size();
    return {shape[axes - 1], shape[axes - 2], axes_of_volume == 3 ? shape[axes - 3] : 1};
}

/// Checks the size of a level, from which the memory for its voxels follows.
void check_sizes(const LabelsOfImage& labels, const Extent& before, const Extent& level) {
    constexpr std::int64_t most = 64;
    const auto is_usable = [](std::int64_t large, std::int64_t small) { return small <= large && large <= most * small; };
    if (!is_usable(before.nx, level.nx) || !is_usable(before.ny, level.ny) || !is_usable(before.nz, level.nz))
        refuse(labels, "has a level that is larger than the level before it, or more than 64 times smaller");
}

}  // namespace

LabelsForm labels_form(const LabelsOfImage& labels) {
    std::error_code ignored;
    if (!is_label_name(labels.name)) refuse(labels, "cannot have labels with this name");
    if (!std::filesystem::is_directory(labels.image, ignored))
        throw Error(ErrorKind::missing_folder, labels.image, "the image of the labels does not exist");
    const auto store = open_folder(labels.image, ExternalFiles::refuse);
    const auto node = read_node(*store, "");
    if (!node || node->is_array) refuse(labels, "is not an OME-Zarr image");
    const Group group = group_of(*node);
    if (group.multiscales.empty()) refuse(labels, "is not an OME-Zarr image");
    const Multiscales& image = group.multiscales.front();
    const bool is_v3 = node->format == 3;
    if (!is_v3 && !image.version.starts_with("0.4"))
        refuse(labels, "is of OME-Zarr " + image.version + "; labels are written into 0.4 and 0.5");
    LabelsForm form{.description = {.version = is_v3 ? "0.5" : "0.4", .name = labels.name, .kind = ImageDescription::Kind::labels_of_image},
                    .arrays = {},
                    .levels = {}};
    const nlohmann::json& ome = is_v3 ? node->attributes.at("ome") : node->attributes;
    const nlohmann::json& stated = ome.at("multiscales").at(0);
    form.description.axes = member(stated, "axes");
    form.description.common_transformations = member(stated, "coordinateTransformations");
    for (std::size_t level = 0; level < image.levels.size(); ++level) {
        const ArrayMetadata array = read_level(*store, labels, image.levels[level].path);
        if (array.shape.size() != image.axes.size()) refuse(labels, "has arrays with another number of axes than its metadata");
        if (level == 0) form.arrays = form_of(labels, image, node->format, array.shape);
        form.levels.push_back(ArrayLayout::of(image.levels[level].path, extent_of(array.shape, form.arrays.axes_of_volume), node->format));
        if (level > 0) check_sizes(labels, form.levels[level - 1].extent, form.levels[level].extent);
        form.description.transformations.push_back(member(stated.at("datasets").at(level), "coordinateTransformations"));
    }
    for (const Document& document : group_documents(form.description, form.levels))
        require_readable(document.text, labels.folder() + "/" + labels.name + "/" + document.key);
    return form;
}

}  // namespace voxcc::io::zarr
