// The metadata above new labels of an image: the list of labels in the group "labels", and consolidated metadata.
#pragma once
#include "io/files/dependent_outputs.h"
#include "io/formats/zarr/folder_lock.h"
#include "io/formats/zarr/output_path.h"

#include <memory>

namespace voxcc::io::zarr {

/// Labels of an image that are complete, under a temporary name.
struct NewLabels {
    LabelsOfImage labels;
    std::string version;    // of NGFF
    std::string temporary;  // the folder of the labels
};

/// Adds the names of new labels to the lists in their groups "labels". Copies the metadata of the labels and of the lists into the
/// consolidated metadata of "labels", of the image, and of the groups above the image. A group without consolidated metadata stays as it
/// is. Other processes that write labels into the same image wait until this object is destroyed.
class ImageMetadata final : public DependentOutputs {
public:
    void add(NewLabels labels) { labels_.push_back(std::move(labels)); }
    /// @return one line per label image that a document of consolidated metadata cannot name because of its content or its rights
    /// @throw Error about the content of a list; no_permission, io_error, disk_full
    std::vector<std::string> write(OutputFiles& files) override;

private:
    std::vector<NewLabels> labels_;
    std::vector<std::unique_ptr<FolderLock>> locks_;
};

}  // namespace voxcc::io::zarr
