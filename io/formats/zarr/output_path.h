// The paths of Zarr outputs. It needs no library, so that builds without Zarr can name the format.
#pragma once
#include <optional>
#include <string>

namespace voxcc::io {

/// Labels that belong to an image.
// "a.zarr/0/labels/cells"  ->  {"a.zarr/0", "cells"}
struct LabelsOfImage {
    std::string image, name;
    std::string folder() const { return image + "/labels"; }
};

/// @return empty if the path does not lead into the folder "labels" of a Zarr folder
std::optional<LabelsOfImage> labels_of_image(const std::string& path);

/// @return whether a name is the name of an archive: ".zarr.zip", ".ozx"
bool is_archive_name(const std::string& path);

/// @return the path of an output folder without '/' at its end
std::string folder_path(std::string path);

}  // namespace voxcc::io
