#include "io/formats/zarr/consolidated.h"

#include <filesystem>

namespace voxcc::io::zarr {

std::vector<std::string> DocumentNames::of_node() const {
    return is_v3 ? std::vector<std::string>{"zarr.json"} : std::vector<std::string>{".zgroup", ".zarray", ".zattrs"};
}

void read_copies(const Store& store, const std::string& node, const std::string& at, DocumentNames names, Copies& copies) {
    bool is_array = false;
    for (const std::string& name : names.of_node()) {
        const auto blob = store.open(joined(node, name));
        if (!blob) continue;
        OrderedJson document = read_json_to_change(*blob);
        is_array = is_array || name == ".zarray" || document.value("node_type", "") == "array";
        document.erase("consolidated_metadata");
        copies[names.key(at, name)] = std::move(document);
    }
    if (is_array) return;
    store.each_entry(node, [&](const Entry& entry) {
        if (entry.is_folder) read_copies(store, joined(node, entry.name), joined(at, entry.name), names, copies);
        return true;
    });
}

OrderedJson* copies_in(OrderedJson& document, DocumentNames names, const std::string& name) {
    OrderedJson* of = &document;
    if (names.is_v3) {
        const auto found = document.find("consolidated_metadata");
        if (found == document.end() || found->is_null()) return nullptr;
        of = &*found;
    }
    const bool is_known = of->is_object() && of->contains("metadata") && of->at("metadata").is_object() &&
                          (names.is_v3 ? of->value("kind", OrderedJson()) == "inline" : of->contains("zarr_consolidated_format"));
    if (!is_known) throw Error(ErrorKind::unsupported_file, name, "has consolidated metadata of another form");
    return &of->at("metadata");
}

void require_groups(const OrderedJson& copies, const std::string& node, DocumentNames names, const std::string& name) {
    std::string path;
    for (const std::filesystem::path& part : std::filesystem::path(node)) {
        path = joined(path, part.string());
        if (!copies.contains(names.key(path, ".zgroup")))
            throw Error(ErrorKind::unsupported_file, name, "has consolidated metadata without the group '" + path + "'");
    }
}

/// In the order of the keys: zarr-python needs all members of a group beside each other.
void replace_copies(OrderedJson& all, const std::string& labels_at, const Copies& copies) {
    std::map<std::string, OrderedJson> sorted;  // an ordered object searches all its members for each new member
    for (const auto& [key, document] : all.items())
        if (key != labels_at && !key.starts_with(labels_at + "/")) sorted[key] = document;
    for (const auto& [key, document] : copies) sorted[key] = document;
    OrderedJson::object_t replaced;
    replaced.reserve(sorted.size());
    for (auto& [key, document] : sorted) replaced.emplace_back(key, std::move(document));
    all = std::move(replaced);
}

}  // namespace voxcc::io::zarr
