#include "io/formats/zarr/output_path.h"

#include "io/files/checked_file.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/shared_by_formats.h"

#include <filesystem>

namespace voxcc::io {

std::string folder_path(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

std::optional<LabelsOfImage> labels_of_image(const std::string& path) {
    const std::filesystem::path target(folder_path(path)), labels = target.parent_path();
    const std::string image = labels.parent_path().string();
    if (labels.filename() != "labels" || image.empty()) return {};
    if (!has_extension(image, {".zarr"}) && !is_zarr(image)) return {};
    return LabelsOfImage{image, target.filename().string()};
}

bool is_archive_name(const std::string& path) { return has_extension(path, {".zarr.zip", ".ozx"}); }

bool is_zarr_output(const std::string& path) {
    return has_extension(folder_path(path), {".zarr"}) || is_archive_name(path) || labels_of_image(path);
}

std::vector<std::string> files_of_zarr_output(const std::string& path, int /*compress*/, Content) { return {folder_path(path)}; }

std::string folder_of_label_volume(const std::string& path) {
    if (const auto labels = labels_of_image(path)) return labels->image;
    return folder_for(is_zarr_output(path) ? folder_path(path) : path);
}

}  // namespace voxcc::io
