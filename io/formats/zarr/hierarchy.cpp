#include "io/formats/zarr/hierarchy.h"

#include "io/files/temporary_names.h"
#include "io/formats/zarr/node_path.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace voxcc::io::zarr {
namespace {

constexpr std::size_t most_nodes = 10000, deepest_group = 16;

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Compares names so that numbers are in ascending order: "2" before "10".
bool precedes(const std::string& a, const std::string& b) {
    const auto is_number = [](const std::string& name) {
        return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
    };
    if (is_number(a) && is_number(b) && a.size() != b.size()) return a.size() < b.size();
    return a < b;
}

std::vector<std::string> folders_in(const Store& store, const std::string& path) {
    std::vector<std::string> names;
    store.each_entry(path, [&](const Entry& entry) {
        if (entry.is_folder && is_node_name(entry.name) && !is_hidden_name(entry.name)) names.push_back(entry.name);
        return names.size() < most_nodes;
    });
    std::ranges::sort(names, precedes);
    return names;
}

bool can_be_volume(const std::vector<std::int64_t>& shape) {
    return std::ranges::count_if(shape, [](std::int64_t n) { return n > 1; }) >= 2;
}

class Walk {
public:
    explicit Walk(const Store& store) : store_(store) {}
    Listing run() {
        visit("", 0);
        for (std::vector<std::string>* others : {&labels_, &thin_})
            if (listing_.choices.empty()) listing_.choices = std::move(*others);
        return std::move(listing_);
    }

private:
    void visit(const std::string& path, std::size_t depth) {
        if (++nodes_ > most_nodes) {
            if (nodes_ == most_nodes + 1) listing_.warnings.push_back("has more than 10,000 groups and arrays; the others are not listed");
            return;
        }
        try {
            const auto node = read_node(store_, path);
            if (node && node->is_array) return add(*node);
            if (node) note_levels(*node);
        } catch (const Error& error) {
            if (!is_about_content(error.kind())) throw;
            listing_.warnings.push_back("/" + path + ": " + error.cause());
        }
        if (depth == deepest_group) return listing_.warnings.push_back("/" + path + ": groups nested too deeply, not listed");
        for (const std::string& name : folders_in(store_, path)) visit(joined(path, name), depth + 1);
    }

    void add(const Node& node) {
        const ArrayMetadata array = array_of(node);
        const std::string path = "/" + node.path;
        listing_.datasets.push_back({path, std::string(array.type.name), array.shape});
        if (!levels_.contains(node.path) && array.shape.size() >= 2)
            (can_be_volume(array.shape) ? listing_.choices : thin_).push_back(path);
    }

    /// An image is one choice, and not each of its levels.
    void note_levels(const Node& node) {
        const Group group = group_of(node);
        for (const Multiscales& image : group.multiscales) {
            for (const Level& level : image.levels) levels_.insert(joined(node.path, level.path));
            (group.kind == Group::Kind::label_image ? labels_ : listing_.choices)
                .push_back("/" + joined(node.path, image.levels.front().path));
        }
    }

    const Store& store_;
    Listing listing_;
    std::vector<std::string> labels_, thin_;  // label images and thin arrays are a choice only if there is no other
    std::set<std::string> levels_;            // of all images
    std::size_t nodes_ = 0;
};

/// Makes the array a level of an image of the group, if the group lists it. @return whether it does
bool add_image(const Group& group, const std::string& folder, ChosenArray& chosen) {
    const std::string path = folder.empty() ? chosen.path : chosen.path.substr(folder.size() + 1);
    for (const Multiscales& image : group.multiscales) {
        const auto found = std::ranges::find(image.levels, path, &Level::path);
        if (found == image.levels.end()) continue;
        chosen.image = image;
        chosen.level = std::size_t(found - image.levels.begin());
        chosen.group = folder;
        chosen.kind = group.kind;
        return true;
    }
    return false;
}

/// Reads a group above an array. The array is readable if the group is not; a warning then says that its axes are not known.
std::optional<Group> group_above(const Store& store, const std::string& path, ChosenArray& chosen) {
    try {
        const auto node = read_node(store, path);
        if (node && !node->is_array) return group_of(*node);
    } catch (const Error& error) {
        if (!is_about_content(error.kind())) throw;
        const std::string cause = error.cause();
        chosen.array.warnings.push_back("the metadata of '/" + path + "' are not used: " + cause.substr(0, cause.find(';')));
    }
    return {};
}

/// Looks for the image of an array in all groups above it.
void find_image(const Store& store, ChosenArray& chosen) {
    for (std::string above = chosen.path; !above.empty();) {
        above = parent_of(above);
        const auto group = group_above(store, above, chosen);
        if (group && add_image(*group, above, chosen)) return;
    }
}

[[noreturn]] void refuse_plate(const Store& store, const Node& node, const Group& group) {
    std::vector<std::string> paths;
    for (const std::string& field : group.fields) paths.push_back("/" + joined(node.path, field));
    throw Error(ErrorKind::several_datasets, store.path(), "is a plate of several images", to_text(paths));
}

std::vector<std::string> paths_of(const std::vector<Dataset>& datasets) {
    std::vector<std::string> paths;
    for (const Dataset& dataset : datasets) paths.push_back(dataset.path);
    return paths;
}

ChosenArray first_level(const Store& store, const Node& node, const Group& group) {
    const Multiscales& image = group.multiscales.front();
    const std::string path = joined(node.path, image.levels.front().path);
    const auto level = read_node(store, path);
    if (!level || !level->is_array)
        throw Error(ErrorKind::missing_part, store.name_of(node.path),
                    "has no array '" + image.levels.front().path + "', which its metadata name");
    return {path, array_of(*level), image, 0, node.path, group.kind};
}

}  // namespace

std::optional<Node> read_node(const Store& store, const std::string& path) {
    const auto document = [&](const std::string& name) -> std::optional<nlohmann::json> {
        const auto blob = store.open(joined(path, name));
        if (!blob) return {};
        return read_json(*blob, Consolidated::leave_out);
    };
    const auto named = [&](const std::string& name) { return store.name_of(joined(path, name)); };
    if (auto json = document("zarr.json")) {
        Node node{path, 3, false, named("zarr.json"), std::move(*json), {}};
        const JsonValue metadata(node.metadata, node.document);
        if (metadata.at("zarr_format").integer() != 3) metadata.refuse("'zarr_format' must be 3");
        const std::string type = metadata.at("node_type").text();
        if (type != "array" && type != "group") metadata.refuse("'node_type' must be array or group");
        node.is_array = type == "array";
        const auto attributes = metadata.find("attributes");
        node.attributes = attributes ? attributes->json() : nlohmann::json::object();
        if (!node.is_array) refuse_unknown_members(metadata, {"zarr_format", "node_type", "attributes", "consolidated_metadata"});
        return node;
    }
    auto array = document(".zarray");
    auto attributes = document(".zattrs");
    if (!array && !attributes && !store.open(joined(path, ".zgroup"))) return {};
    Node node{path, 2, array.has_value(), named(array ? ".zarray" : ".zattrs"), {}, {}};
    if (array) node.metadata = std::move(*array);
    node.attributes = attributes ? std::move(*attributes) : nlohmann::json::object();
    return node;
}

ArrayMetadata array_of(const Node& node) {
    const JsonValue metadata(node.metadata, node.document);
    return node.format == 3 ? parse_array_v3(metadata) : parse_array_v2(metadata, node.attributes);
}

Group group_of(const Node& node) { return parse_group(JsonValue(node.attributes, node.document), node.format); }

std::optional<ChosenArray> choose_array(const Store& store, const std::string& dataset) {
    const auto path = node_path(dataset);
    const auto node = path ? read_node(store, *path) : std::nullopt;
    if (!node) {
        if (dataset.empty()) throw Error(ErrorKind::invalid_file, store.path(), "has no metadata of Zarr (zarr.json, .zgroup or .zarray)");
        throw Error(ErrorKind::no_such_dataset, store.path(), "does not contain the array '" + dataset + "'",
                    to_text(paths_of(list_arrays(store).datasets)));
    }
    if (node->is_array) {
        ChosenArray chosen{*path, array_of(*node), {}, 0, {}, {}};
        find_image(store, chosen);
        return chosen;
    }
    const Group group = group_of(*node);
    if (!group.multiscales.empty()) return first_level(store, *node, group);
    if (group.kind == Group::Kind::plate) refuse_plate(store, *node, group);
    std::vector<std::string> below;
    for (const std::string& choice : list_arrays(store).choices)
        if (path->empty() || choice.starts_with("/" + *path + "/")) below.push_back(choice);
    if (below.empty()) throw Error(ErrorKind::invalid_file, store.name_of(*path), "is a group without an array of two axes or more");
    if (below.size() > 1) return {};
    return choose_array(store, below.front());
}

Listing list_arrays(const Store& store) { return Walk(store).run(); }

std::string to_text(const std::vector<std::string>& paths) {
    constexpr std::size_t shown = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, paths.size()); ++i) text += (i > 0 ? ", " : "") + paths[i];
    if (paths.size() > shown) text += " and " + std::to_string(paths.size() - shown) + " more";
    return text;
}

}  // namespace voxcc::io::zarr
