// Names of files in BIDS, the Brain Imaging Data Structure: entities, a suffix and an extension, as in "sub-01_run-2_T1w.nii.gz".
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// An input with a name of BIDS, in its dataset.
struct BidsFile {
    std::filesystem::path root;  // folder of the dataset: it holds sub-LABEL/; the folder of the file if the file is not in such a folder
    std::string path;            // of the file in the dataset
    std::string folder;          // in which BIDS keeps files about this file: "sub-01/ses-2/anat"
    std::string entities;        // in the order of the name: "sub-01_ses-2_run-2"
    bool has(const std::string& entity) const;  // "run" -> true
};

/// Reads the name of an input; the file need not exist. A selector is not part of the name.
/// @throw Error invalid_argument if the name does not have the form of BIDS, or if its folders state another subject or session
// "ds/sub-01/anat/sub-01_run-2_T1w.nii.gz" -> {"ds", "sub-01/anat/sub-01_run-2_T1w.nii.gz", "sub-01/anat", "sub-01_run-2"}
// "scans/sub-01_task-rest_bold.nii.gz" -> {"scans", "sub-01_task-rest_bold.nii.gz", "sub-01/func", "sub-01_task-rest"}
BidsFile bids_file(const std::string& input);

/// The name of files that are derived from an input, without suffix and extension. It replaces {bids} in the names of outputs.
/// @throw Error as bids_file()
// "ds/sub-01/anat/sub-01_run-2_T1w.nii.gz" -> "sub-01/anat/sub-01_run-2"
std::string bids_stem(const std::string& input);

/// Whether BIDS 1.10 has an entity with this key.
// "sub" -> true
bool is_bids_entity(std::string_view key);

/// The keys of all known entities, in the order of BIDS.
std::vector<std::string> known_entities();

/// An entity in a path. The value is empty if the folders and the name of the file state different values.
struct BidsEntity {
    std::string key, value;
};

/// The known entities in the folders and the name of an input, in the order of BIDS. The name need not be a name of BIDS.
// "ds/sub-01/anat/lesions_run-2.nii.gz" -> {{"sub", "01"}, {"run", "2"}}
std::vector<BidsEntity> entities_in(const std::string& input);

/// The keys of the entities in the paths of inputs that name a subject, in the order of BIDS.
// {"ds/sub-01/ses-1/a.nii", "ds/sub-02/a.nii", "other/run-1/a.nii"} -> {"sub", "ses"}
std::vector<std::string> subject_entities(const std::vector<std::string>& inputs);

/// The name of the column of an entity, which no other column has.
// "sub" -> "sub"; "label" -> "entity_label"
std::string entity_column(const std::string& key);

/// The cells of these columns for an input; empty for an entity that its path does not have.
std::vector<std::optional<std::string>> entity_values(const std::string& input, const std::vector<std::string>& keys);

/// A path as part of a URI: other characters than letters, digits and "-._~+/" become %XX.
// "my ds/a" -> "my%20ds/a"
std::string uri_path(const std::string& path);

}  // namespace voxcc
