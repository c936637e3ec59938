// Consolidated metadata: copies of the metadata of all nodes below a group, in one document of the group: ".zmetadata" (Zarr v2), or the
// member "consolidated_metadata" of zarr.json (v3). A reader that uses the copies does not find a node that they leave out.
#pragma once
#include "io/formats/zarr/json_value.h"

#include <map>

namespace voxcc::io::zarr {

/// The names of the documents of a hierarchy.
struct DocumentNames {
    bool is_v3;
    /// Of one node.
    std::vector<std::string> of_node() const;
    /// The document with the copies.
    std::string consolidated() const { return is_v3 ? "zarr.json" : ".zmetadata"; }
    /// The key of a copy.
    // "labels/cells", ".zattrs"  ->  "labels/cells/.zattrs" (v2); "labels/cells", "zarr.json"  ->  "labels/cells" (v3)
    std::string key(const std::string& node, const std::string& name) const { return is_v3 ? node : joined(node, name); }
};

using Copies = std::map<std::string, OrderedJson>;  // documents of nodes by their keys

/// Reads the documents of a node and of all nodes below it. @param at the path of the node in the group that gets the copies
/// @throw Error as read_json_to_change()
void read_copies(const Store& store, const std::string& node, const std::string& at, DocumentNames names, Copies& copies);

/// The copies in a document; null if the document has no consolidated metadata. @param name of the document, for errors
/// @throw Error unsupported_file for another form
OrderedJson* copies_in(OrderedJson& document, DocumentNames names, const std::string& name);

/// Checks that all groups on the way to a node have copies. zarr-python does not find the members of other groups.
/// @throw Error unsupported_file
void require_groups(const OrderedJson& copies, const std::string& node, DocumentNames names, const std::string& name);

/// Removes the copies of the labels at a path, and adds new copies.
void replace_copies(OrderedJson& all, const std::string& labels_at, const Copies& copies);

}  // namespace voxcc::io::zarr
