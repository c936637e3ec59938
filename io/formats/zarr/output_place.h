// The checks of the place of a Zarr output, which are made before labelling: everything that can fail later.
#pragma once
#include "io/formats/zarr/output_path.h"

namespace voxcc::io::zarr {

/// Checks that the folder "labels" of an image is not a symbolic link, which could lead to another store. It may be absent.
/// @throw Error cannot_create
void require_no_link(const LabelsOfImage& labels);

/// Checks the documents that list the labels of an image: they can be read, can be replaced, and are short enough with one more name.
/// @param version of NGFF @throw Error about the content; cannot_create, no_permission
void check_label_list(const LabelsOfImage& labels, const std::string& version);

/// Checks that the loss of a store which is replaced is small: voxcc has written all its arrays, and it has no labels. An absent or empty
/// folder may be replaced. @throw Error cannot_create
void require_replaceable_store(const std::string& folder);

}  // namespace voxcc::io::zarr
