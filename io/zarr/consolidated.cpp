#include "io/zarr/consolidated.h"

#include "io/checked_file.h"
#include "io/zarr/folder_lock.h"
#include "io/zarr/is_zarr.h"
#include "io/zarr/json_value.h"
#include "io/zarr/stores.h"

#include <filesystem>
#include <map>

namespace voxcc::io::zarr {
namespace {

namespace fs = std::filesystem;

/// The documents of nodes, by their keys in the consolidated metadata: "labels/cells/.zattrs" (v2), "labels/cells" (v3).
using Copies = std::map<std::string, OrderedJson>;

struct Documents {
    bool is_v3;
    std::vector<std::string> names() const {
        return is_v3 ? std::vector<std::string>{"zarr.json"} : std::vector<std::string>{".zgroup", ".zarray", ".zattrs"};
    }
    std::string key(const std::string& node, const std::string& name) const { return is_v3 ? node : joined(node, name); }
    std::string consolidated() const { return is_v3 ? "zarr.json" : ".zmetadata"; }
};

enum class Nodes : std::uint8_t { one, with_members };

/// Reads the documents of a node. @param at the path of the node in the group that gets the copies
void read_copies(const Store& store, const std::string& node, const std::string& at, Documents documents, Nodes nodes, Copies& copies) {
    bool is_array = false;
    for (const std::string& name : documents.names()) {
        const auto blob = store.open(joined(node, name));
        if (!blob) continue;
        OrderedJson document = read_json_to_change(*blob);
        is_array = is_array || name == ".zarray" || document.value("node_type", "") == "array";
        document.erase("consolidated_metadata");
        copies[documents.key(at, name)] = std::move(document);
    }
    if (is_array || nodes == Nodes::one) return;
    store.each_entry(node, [&](const Entry& entry) {
        if (entry.is_folder) read_copies(store, joined(node, entry.name), joined(at, entry.name), documents, nodes, copies);
        return true;
    });
}

/// The members "metadata" of a document; null if the document has no consolidated metadata.
/// @throw Error unsupported_file for another form
OrderedJson* copies_in(OrderedJson& document, Documents documents, const std::string& name) {
    OrderedJson* of = &document;
    if (documents.is_v3) {
        const auto found = document.find("consolidated_metadata");
        if (found == document.end() || found->is_null()) return nullptr;
        of = &*found;
    }
    const bool is_known = of->is_object() && of->contains("metadata") && of->at("metadata").is_object() &&
                          (documents.is_v3 ? of->value("kind", OrderedJson()) == "inline" : of->contains("zarr_consolidated_format"));
    if (!is_known) throw Error(ErrorKind::unsupported_file, name, "has consolidated metadata of another form");
    return &of->at("metadata");
}

/// zarr-python does not find the members of a group whose own metadata are left out.
bool has_group(const OrderedJson& copies, const std::string& path, Documents documents) {
    return copies.contains(documents.key(path, documents.is_v3 ? "" : ".zgroup"));
}

void check_groups(const OrderedJson& copies, const fs::path& image, Documents documents, const std::string& name) {
    std::string path;
    for (const fs::path& part : image) {
        path = joined(path, part.string());
        if (!has_group(copies, path, documents))
            throw Error(ErrorKind::unsupported_file, name, "has consolidated metadata without the group '" + path + "'");
    }
}

/// In the order of the keys: zarr-python needs all members of a group beside each other.
void replace_copies(OrderedJson& all, const std::string& labels_at, const Copies& copies) {
    std::map<std::string, OrderedJson> sorted;
    for (const auto& [key, document] : all.items())
        if (key != labels_at && !key.starts_with(labels_at + "/")) sorted[key] = document;
    for (const auto& [key, document] : copies) sorted[key] = document;
    all = OrderedJson::object();
    for (auto& [key, document] : sorted) all[key] = std::move(document);
}

void update(const fs::path& group, const fs::path& labels, const std::string& label_name, Documents documents) {
    std::error_code ignored;
    if (!fs::exists(group / documents.consolidated(), ignored)) return;
    const FolderLock lock(group.string());
    const auto store = open_folder(group.string(), ExternalFiles::refuse);
    const auto blob = store->open(documents.consolidated());
    if (!blob) return;
    const std::string file = (group / documents.consolidated()).string();
    OrderedJson document = read_json_to_change(*blob);
    OrderedJson* const all = copies_in(document, documents, file);
    if (!all) return;
    const fs::path below = labels.lexically_relative(group);
    const std::string at = below == "." ? "" : below.string();
    if (!at.empty()) check_groups(*all, below.parent_path(), documents, file);
    Copies copies;
    const auto source = open_folder(labels.string(), ExternalFiles::refuse);
    if (!at.empty() || !documents.is_v3) read_copies(*source, "", at, documents, Nodes::one, copies);
    read_copies(*source, label_name, joined(at, label_name), documents, Nodes::with_members, copies);
    replace_copies(*all, joined(at, label_name), copies);
    const std::string text = documents.is_v3 ? document.dump(2) + "\n" : document.dump();
    if (std::int64_t(text.size()) > most_consolidated_bytes) throw Error(ErrorKind::unsupported_file, file, "would become too long");
    OutputFiles outputs(Overwrite::allow, {});
    OutputFile& output = outputs.create(file);
    output.write(text);
    output.close();
    outputs.publish();
}

}  // namespace

std::vector<std::string> update_consolidated(const LabelsOfImage& labels, const std::string& version) {
    const Documents documents{version == "0.5"};
    const fs::path folder = fs::canonical(labels.folder());
    std::vector<std::string> warnings;
    for (fs::path group = folder; group == folder || is_zarr(group.string()); group = group.parent_path()) {
        try {
            update(group, folder, labels.name, documents);
        } catch (const Error& error) {
            warnings.push_back(error.subject() + ": " + error.cause() + "; its consolidated metadata do not name the labels '" +
                               labels.name + "'. Consolidate them again: zarr.consolidate_metadata('" + group.string() + "')");
        }
        if (!group.has_relative_path()) break;
    }
    return warnings;
}

}  // namespace voxcc::io::zarr
