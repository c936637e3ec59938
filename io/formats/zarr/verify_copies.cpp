// Compares consolidated metadata with the metadata of the nodes.
#include "io/formats/zarr/array.h"
#include "io/formats/zarr/consolidated.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/place.h"
#include "io/formats/zarr/stores.h"
#include "io/formats/zarr/zarr.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;
using namespace zarr;
using nlohmann::json;

/// Without members that are null or empty, which other programs leave out, and without copies of other nodes.
json without_empty_members(const json& document) {
    json kept = json::object();
    for (const auto& [key, value] : document.items())
        if (key != "consolidated_metadata" && !value.empty()) kept[key] = value;
    return kept;
}

bool are_equal(const ArrayMetadata& a, const ArrayMetadata& b) {
    return a.format == b.format && a.shape == b.shape && a.chunk == b.chunk && a.order == b.order && a.type.name == b.type.name &&
           a.byte_order == b.byte_order && a.fill == b.fill && a.codecs == b.codecs && a.keys == b.keys && a.sharding == b.sharding &&
           a.axis_names == b.axis_names && a.attributes == b.attributes;
}

/// Whether two documents of an array have one meaning. zarr-python can write the same metadata in another form.
bool are_equal_arrays(const json& copy, const json& own, const std::string& document, DocumentNames names) {
    const auto array_in = [&](const json& metadata) {
        const JsonValue value(metadata, document);
        return names.is_v3 ? parse_array_v3(value) : parse_array_v2(value, json::object());
    };
    try {
        return are_equal(array_in(copy), array_in(own));
    } catch (const Error&) {
        return false;
    }
}

bool are_equal_documents(const json& copy, const json& own, const std::string& document, DocumentNames names) {
    if (without_empty_members(copy) == without_empty_members(own)) return true;
    const bool are_arrays = names.is_v3 ? own.value("node_type", "") == "array" : document.ends_with(".zarray");
    return are_arrays && are_equal_arrays(copy, own, document, names);
}

/// The path of a node, and the path of its document, from the key of a copy.
// "labels/x/.zarray" (v2)  ->  {"labels/x", "labels/x/.zarray"}; "labels/x" (v3)  ->  {"labels/x", "labels/x/zarr.json"}
std::pair<std::string, std::string> node_of(const std::string& key, DocumentNames names) {
    if (names.is_v3) return {key, joined(key, "zarr.json")};
    const std::size_t slash = key.rfind('/');
    return {slash == std::string::npos ? "" : key.substr(0, slash), key};
}

bool is_at_or_below(const std::string& node, const std::string& top) { return top.empty() || node == top || node.starts_with(top + "/"); }

/// Compares the copies in a group with the documents of the nodes at `top` and below it.
/// @return the first difference, as a predicate; empty if there is none
std::string difference_in(const Store& store, const std::string& group, const std::string& top, DocumentNames names) {
    const auto blob = store.open(joined(group, names.consolidated()));
    if (!blob) return {};
    OrderedJson document = OrderedJson(read_json(*blob, Consolidated::keep));
    const OrderedJson* const copies = copies_in(document, names, blob->name());
    if (!copies) return {};
    for (const auto& [key, copy] : copies->items()) {
        const auto [node, name] = node_of(key, names);
        if (!is_at_or_below(node, top)) continue;
        const std::string path = joined(group, name);
        const auto own = store.open(path);
        if (own && !are_equal_documents(json(copy), read_json(*own, Consolidated::leave_out), path, names))
            return "differ from '" + store.name_of(path) + "'";
        if (!own && !copy.empty()) return "name '" + store.name_of(path) + "', which does not exist";
    }
    return {};
}

/// Verifies a group. Both kinds of consolidated metadata can exist beside each other. @param warnings gets metadata that cannot be read
void verify_group(const Store& store, const std::string& group, const std::string& top, std::vector<std::string>& warnings) {
    for (const DocumentNames names : {DocumentNames{false}, DocumentNames{true}}) {
        std::string difference;
        try {
            difference = difference_in(store, group, top, names);
        } catch (const Error& error) {
            if (!is_about_content(error.kind())) throw;
            warnings.push_back(error.what() + std::string("; the consolidated metadata of '") + store.name_of(group) +
                               "' are not compared");
        }
        if (!difference.empty())
            throw Error(ErrorKind::invalid_file, store.name_of(joined(group, names.consolidated())),
                        "has consolidated metadata that " + difference + "; consolidate them again: zarr.consolidate_metadata('" +
                            store.name_of(group) + "')");
    }
}

/// The path of a node in a group. @param node in the store of the group
std::string below(const std::string& group, const std::string& node) { return group.empty() ? node : node.substr(group.size() + 1); }

}  // namespace

std::vector<std::string> verify_zarr(const std::string& path, const OpenOptions& options) {
    const Place place = open_place(path, options.external);
    std::string node = options.dataset.empty() ? place.dataset : options.dataset;
    while (node.starts_with('/')) node.erase(0, 1);
    while (node.ends_with('/')) node.pop_back();
    std::vector<std::string> warnings;
    for (std::size_t end = 0; end < node.size(); end = std::min(node.find('/', end + 1), node.size()))
        verify_group(*place.store, node.substr(0, end), below(node.substr(0, end), node), warnings);
    verify_group(*place.store, node, "", warnings);
    if (node.empty()) verify_group(*place.store, "labels", "", warnings);
    std::error_code unknown;
    if (!fs::is_directory(place.store->path(), unknown)) return warnings;
    const fs::path folder = fs::canonical(place.store->path(), unknown);
    for (fs::path group = folder.parent_path(); group.has_relative_path() && is_zarr(group.string()); group = group.parent_path()) {
        const std::string store = folder.lexically_relative(group).string();
        verify_group(*open_folder(group.string(), options.external), "", node.empty() ? store : joined(store, node), warnings);
    }
    return warnings;
}

}  // namespace voxcc::io
