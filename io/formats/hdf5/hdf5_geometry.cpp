#include "io/formats/hdf5/hdf5_geometry.h"

#include "io/formats/hdf5/hdf5_attributes.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace voxcc::io::hdf5 {
namespace {

// ilastik: {"axes": [{"key": "z", ...}, ...]}, one entry per axis.
std::vector<std::string> parse_axistags(const std::string& text) {
    std::vector<std::string> keys;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("axes") || !json["axes"].is_array()) return keys;
    for (const auto& axis : json["axes"]) {
        if (!axis.is_object() || !axis.contains("key") || !axis["key"].is_string()) return {};
        keys.push_back(axis["key"].get<std::string>());
    }
    return keys;
}

std::vector<std::string> axis_names(const File& file, const StoredDataset& dataset) {
    const std::size_t rank = dataset.shape.size();
    if (rank < 3) return std::vector<std::string>(rank);  // both axes must be spatial
    if (const auto tags = text_attribute(file, dataset.id, "axistags"); tags && tags->size() == 1)
        if (auto keys = parse_axistags(tags->front()); keys.size() == rank) return keys;
    if (auto labels = text_attribute(file, dataset.id, "DIMENSION_LABELS"); labels && labels->size() == rank) return *labels;
    return std::vector<std::string>(rank);
}

bool names_volumes(const std::string& name) {
    return name == "c" || name == "t" || name == "C" || name == "T" || name == "channel" || name == "time";
}

// "/ITKImage/0/VoxelData"  ->  "/ITKImage/0"; any other path  ->  empty
std::optional<std::string> itk_image(const std::string& path) {
    constexpr std::string_view voxels = "/VoxelData";
    if (!path.starts_with("/ITKImage/") || !path.ends_with(voxels)) return {};
    return path.substr(0, path.size() - voxels.size());
}

std::vector<std::size_t> space_axes(const File& file, const StoredDataset& dataset, const std::vector<std::string>& names) {
    const auto& shape = dataset.shape;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (!names_volumes(names[axis])) axes.push_back(axis);
    if (const auto image = itk_image(dataset.path))
        if (const auto dimension = number_dataset(file, *image + "/Dimension"); dimension && dimension->size() < axes.size())
            axes.resize(dimension->size());
    while (axes.size() > 3 && shape[axes.back()] == 1) axes.pop_back();
    while (axes.size() > 3 && shape[axes.front()] == 1) axes.erase(axes.begin());
    // Without names, leading axes over three count volumes.
    const bool named = std::any_of(names.begin(), names.end(), names_volumes);
    if (axes.size() > 3 && !named) axes.erase(axes.begin(), axes.end() - 3);
    return axes;
}

// Directions has one row per axis of the image: the direction of its step.
std::optional<Geometry> itk_geometry(const File& file, const std::string& image) {
    const auto spacing = number_dataset(file, image + "/Spacing"), origin = number_dataset(file, image + "/Origin"),
               directions = number_dataset(file, image + "/Directions");
    if (!spacing || !origin || !directions) return {};
    const std::size_t n = spacing->size();
    if (n < 2 || n > 3 || origin->size() != n || directions->size() != n * n) return {};
    Steps steps{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
    for (std::size_t axis = 0; axis < n; ++axis) {
        steps.origin[axis] = (*origin)[axis];
        for (std::size_t world = 0; world < n; ++world) steps.columns[axis][world] = (*directions)[axis * n + world] * (*spacing)[axis];
    }
    Geometry geometry;
    geometry.affine = affine_from(steps, Anatomical::lps);
    geometry.spacing = {(*spacing)[0], (*spacing)[1], n == 3 ? (*spacing)[2] : 1.0};
    geometry.unit = LengthUnit::mm;
    geometry.source = "the datasets of ITK";
    return geometry;
}

// Sizes along z, y, x as steps along x, y, z. Nothing if they are not three positive numbers.
std::optional<Vector3> steps_from(const std::vector<double>& zyx) {
    if (zyx.size() != 3) return {};
    for (const double size : zyx)
        if (!std::isfinite(size) || size <= 0) return {};
    return Vector3{zyx[2], zyx[1], zyx[0]};
}

std::optional<LengthUnit> unit_in(std::string_view text) {
    constexpr std::string_view axes = " (z,y,x)";
    if (text.ends_with(axes)) text.remove_suffix(axes.size());
    return length_unit(text);
}

/// The attribute `unit`.
struct StatedUnit {
    bool is_present = false;
    std::optional<LengthUnit> unit;  // empty: not a known unit of length
};

StatedUnit stated_unit(const File& file, const StoredDataset& dataset) {
    const auto text = text_attribute(file, dataset.id, "unit");
    if (!text || text->size() != 1) return {};
    return {true, unit_in(text->front())};
}

// The spacing from the attribute `element_size_um` or `resolution`.
Geometry spacing_in(const StoredDataset& dataset, const StatedUnit& stated) {
    Geometry geometry;
    const auto um = number_attribute(dataset.id, "element_size_um");
    const auto resolution = um ? std::nullopt : number_attribute(dataset.id, "resolution");
    if (!um && !resolution) return geometry;
    const std::string name = um ? "element_size_um" : "resolution";
    geometry.spacing = steps_from(um ? *um : *resolution);
    if (!geometry.spacing) {
        geometry.notes.push_back(name + " of " + dataset.path + " is not three positive numbers and is not used");
        return geometry;
    }
    geometry.unit = um ? LengthUnit::um : stated.unit;
    geometry.source = "the attribute " + name;
    return um && stated.unit ? in_unit(geometry, *stated.unit) : geometry;
}

// Sets the affine, which replaces the spacing. Notes a spacing that differs from the affine.
void place(Geometry& geometry, const Affine& affine, const StatedUnit& stated) {
    Geometry placed{.affine = affine, .spacing = spacing_of(affine), .unit = LengthUnit::mm, .source = "the attribute affine"};
    if (stated.is_present && !stated.unit) placed.unit.reset();
    else if (stated.unit) placed = in_unit(placed, *stated.unit);
    placed.notes = std::move(geometry.notes);
    const bool are_comparable = geometry.spacing && geometry.unit && placed.unit && is_invertible(affine);
    const Geometry other = are_comparable ? in_unit(geometry, *placed.unit) : placed;
    constexpr double noticeable = 1e-3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs((*placed.spacing)[axis] - (*other.spacing)[axis]) <= noticeable * (*other.spacing)[axis]) continue;
        placed.notes.push_back("the affine, which is used, states voxels of " + text_of_steps(*placed.spacing) + ", but " +
                               geometry.source.substr(std::string_view("the attribute ").size()) + " states " +
                               text_of_steps(*other.spacing));
        break;
    }
    geometry = std::move(placed);
}

}  // namespace

Extent Axes::extent(const StoredDataset& dataset) const {
    const auto length = [&](std::size_t axis) { return std::int64_t(dataset.shape[axis]); };
    return {length(x), length(y), z ? length(*z) : 1};
}

std::int64_t Axes::count(const StoredDataset& dataset) const {
    std::int64_t count = 1;
    for (const std::size_t axis : volumes) count *= std::int64_t(dataset.shape[axis]);
    return count;
}

std::string Axes::volumes_text(const StoredDataset& dataset) const {
    std::string text;
    for (const std::size_t axis : volumes) {
        if (dataset.shape[axis] == 1) continue;
        text += (text.empty() ? "axis " : ", axis ") + std::to_string(axis) + (names[axis].empty() ? "" : " (" + names[axis] + ")") +
                " of " + std::to_string(dataset.shape[axis]);
    }
    return text;
}

Axes axes_of(const File& file, const StoredDataset& dataset) {
    const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::invalid_file, file.path(), dataset.path + what); };
    if (dataset.shape.size() < 2)
        refuse(" has fewer than two axes and is not a volume; choose another dataset: " + to_text(list_datasets(file).datasets));
    if (std::find(dataset.shape.begin(), dataset.shape.end(), 0u) != dataset.shape.end()) refuse(" has no voxels; choose another dataset");
    Axes axes;
    axes.names = axis_names(file, dataset);
    const std::vector<std::size_t> space = space_axes(file, dataset, axes.names);
    if (space.size() < 2) refuse(" has fewer than two axes of space; choose another dataset");
    if (space.size() > 3) refuse(" has more than three axes of space; choose another dataset");
    axes.x = space.back();
    axes.y = space[space.size() - 2];
    if (space.size() == 3) axes.z = space[0];
    for (std::size_t axis = 0; axis < dataset.shape.size(); ++axis)
        if (std::find(space.begin(), space.end(), axis) == space.end()) axes.volumes.push_back(axis);
    return axes;
}

Geometry geometry_of(const File& file, const StoredDataset& dataset) {
    if (const auto image = itk_image(dataset.path))
        if (const auto geometry = itk_geometry(file, *image)) return *geometry;
    const StatedUnit stated = stated_unit(file, dataset);
    Geometry geometry = spacing_in(dataset, stated);
    const auto numbers = number_attribute(dataset.id, "affine");
    if (!numbers || numbers->size() != 16) return geometry;
    Affine affine{};
    for (std::size_t i = 0; i < 12; ++i) affine[i / 4][i % 4] = (*numbers)[i];
    place(geometry, affine, stated);
    return geometry;
}

}  // namespace voxcc::io::hdf5
