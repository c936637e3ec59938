#include "io/formats/zarr/image_metadata.h"

#include "io/files/checked_file.h"
#include "io/formats/zarr/consolidated.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/output_metadata.h"
#include "io/formats/zarr/output_place.h"
#include "io/formats/zarr/stores.h"

#include <filesystem>
#include <set>

namespace voxcc::io::zarr {
namespace {

namespace fs = std::filesystem;

/// Documents that are changed together. Reading a document that has been changed gives the new document.
class ChangedDocuments {
public:
    explicit ChangedDocuments(OutputFiles& files) : files_(files) {}

    /// @return empty if the document does not exist. @throw Error as read_json_to_change()
    std::optional<OrderedJson> read(const fs::path& path) const {
        if (const auto known = changes_.find(path); known != changes_.end()) return parse_to_change(known->second.text);
        const auto store = open_folder(path.parent_path().string(), ExternalFiles::refuse);
        const auto blob = store->open(path.filename().string());
        return blob ? std::optional(read_json_to_change(*blob)) : std::nullopt;
    }

    /// A document that stays equal is not written. @throw Error no_permission, io_error; as require_readable()
    void change(const fs::path& path, const std::string& text) {
        if (read(path) == parse_to_change(text)) return;
        require_readable(text, path.string());
        auto change = changes_.find(path);
        if (change == changes_.end()) change = changes_.emplace(path, Change{files_.create(path.string()), ""}).first;
        change->second.text = text;
    }

    void write() {
        for (auto& [path, change] : changes_) {
            change.file.write(change.text);
            change.file.close();
        }
    }

private:
    struct Change {
        OutputFile& file;
        std::string text;
    };
    OutputFiles& files_;
    std::map<fs::path, Change> changes_;
};

using LabelsByFolder = std::map<fs::path, std::vector<NewLabels>>;  // by the folder "labels"

LabelsByFolder by_folder(const std::vector<NewLabels>& all) {
    LabelsByFolder folders;
    for (const NewLabels& labels : all) {
        require_no_link(labels.labels);
        folders[fs::canonical(labels.labels.folder())].push_back(labels);
    }
    return folders;
}

DocumentNames names_of(const std::vector<NewLabels>& labels) { return {labels.front().version == "0.5"}; }

/// The folder "labels", and the groups above it whose documents can have consolidated metadata.
std::vector<fs::path> groups_of(const fs::path& folder, DocumentNames names) {
    std::vector<fs::path> groups{folder};
    std::error_code ignored;
    for (fs::path group = folder.parent_path(); group.has_relative_path() && is_zarr(group.string()); group = group.parent_path())
        if (fs::exists(group / names.consolidated(), ignored)) groups.push_back(group);
    return groups;
}

void add_to_list(const fs::path& folder, const std::vector<NewLabels>& all, ChangedDocuments& documents) {
    for (const NewLabels& labels : all) {
        const auto before = documents.read(folder / (names_of(all).is_v3 ? "zarr.json" : ".zattrs"));
        for (const Document& document : label_list_documents(before.value_or(nullptr), labels.version, labels.labels.name))
            documents.change(folder / document.key, document.text);
    }
}

/// Updates the consolidated metadata of a group, if it has any. @param folder the folder "labels"
void update_copies(const fs::path& group, const fs::path& folder, const std::vector<NewLabels>& all, ChangedDocuments& documents) {
    const DocumentNames names = names_of(all);
    const fs::path path = group / names.consolidated();
    auto document = documents.read(path);
    OrderedJson* const copies = document ? copies_in(*document, names, path.string()) : nullptr;
    if (!copies) return;
    const std::string at = group == folder ? "" : folder.lexically_relative(group).string();
    if (!at.empty()) require_groups(*copies, fs::path(at).parent_path().string(), names, path.string());
    for (const NewLabels& labels : all) {
        Copies added;
        if (!at.empty() || !names.is_v3)
            for (const std::string& name : names.of_node())
                if (auto of_list = documents.read(folder / name)) {
                    of_list->erase("consolidated_metadata");
                    added[names.key(at, name)] = std::move(*of_list);
                }
        const std::string labels_at = joined(at, labels.labels.name);
        read_copies(*open_folder(labels.temporary, ExternalFiles::refuse), "", labels_at, names, added);
        replace_copies(*copies, labels_at, added);
    }
    const std::string text = with_kept_numbers(names.is_v3 ? document->dump(2) + "\n" : document->dump());
    documents.change(path, text);
}

}  // namespace

std::vector<std::string> ImageMetadata::write(OutputFiles& files) {
    const LabelsByFolder folders = by_folder(labels_);
    std::set<fs::path> groups;  // every process locks groups in this order
    for (const auto& [folder, labels] : folders)
        for (fs::path& group : groups_of(folder, names_of(labels))) groups.insert(std::move(group));
    for (const fs::path& group : groups) locks_.push_back(std::make_unique<FolderLock>(group.string()));
    ChangedDocuments documents(files);
    for (const auto& [folder, labels] : folders) add_to_list(folder, labels, documents);
    std::vector<std::string> warnings;
    for (const auto& [folder, all] : folders)
        for (const fs::path& group : groups_of(folder, names_of(all))) {
            try {
                update_copies(group, folder, all, documents);
            } catch (const Error& error) {
                using enum ErrorKind;
                const auto is = [&](ErrorKind kind) { return error.kind() == kind; };
                if (is(io_error) || is(disk_full) || is(out_of_memory)) throw;
                for (const NewLabels& labels : all)
                    warnings.push_back(error.subject() + ": " + error.cause() + "; its consolidated metadata do not name the labels '" +
                                       labels.labels.name + "'. Consolidate them again: zarr.consolidate_metadata('" + group.string() +
                                       "')");
            }
        }
    documents.write();
    return warnings;
}

}  // namespace voxcc::io::zarr
