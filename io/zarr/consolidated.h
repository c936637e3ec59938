// Consolidated metadata: copies of the metadata of all nodes below a group, in one document of the group: ".zmetadata" (Zarr v2), or the
// member "consolidated_metadata" of zarr.json (v3). A reader that uses the copies does not find a node that they leave out.
#pragma once
#include "io/zarr/output_path.h"

#include <vector>

namespace voxcc::io::zarr {

/// Copies the metadata of a new label image, and of the list of labels, into the consolidated metadata of "labels", of the image, and of
/// the groups above the image. A group without consolidated metadata stays as it is. Must be called when the labels and the list exist.
/// @param version of NGFF @return one line per document that cannot be updated, with the cause: warnings
std::vector<std::string> update_consolidated(const LabelsOfImage& labels, const std::string& version);

}  // namespace voxcc::io::zarr
