// Labels that are written into an OME-Zarr image: what the image demands of them.
#pragma once
#include "io/formats/zarr/output_metadata.h"
#include "io/formats/zarr/output_path.h"

namespace voxcc::io::zarr {

/// The form of labels that lie over an image.
struct LabelsForm {
    ImageDescription description;
    ArrayForm arrays;                 // without type and compression; the outer axes have the extents of the image
    std::vector<ArrayLayout> levels;  // of the shapes and the paths of the image
};

/// Reads the image, and checks that it can have labels.
/// @throw Error missing_folder if it does not exist; cannot_create if it is not an image of OME-Zarr 0.4 or 0.5, or if its axes of space
/// are not the last axes; about the content
LabelsForm labels_form(const LabelsOfImage& labels);

}  // namespace voxcc::io::zarr
