#include "src/report/volume_names.h"

#include "src/pipeline/naming.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace voxcc::report {
namespace {

std::filesystem::path path_of(const TableVolume& volume) {
    std::filesystem::path path(volume.file ? *volume.file : std::filesystem::path(volume.table).replace_extension().string());
    return path.has_filename() ? path : path.parent_path();
}

/// The last `count` folders of a path, each with a slash.
// "a/b/c.nii", 1 -> "b/"
std::string last_folders(const std::filesystem::path& path, std::size_t count) {
    std::vector<std::string> folders;
    for (const std::filesystem::path& part : path.parent_path().relative_path()) folders.push_back(part.string());
    std::string text;
    for (std::size_t i = folders.size() - std::min(count, folders.size()); i < folders.size(); ++i) text += folders[i] + "/";
    return text;
}

VolumeName name_of(const TableVolume& volume, std::size_t folders) {
    const std::filesystem::path path = path_of(volume);
    const std::string before = last_folders(path, folders);
    const std::string number = volume.volume ? std::to_string(*volume.volume) : "";
    return {before + path.filename().string() + (number.empty() ? "" : ", volume " + number),
            before + (volume.file ? stem_of(*volume.file) : path.filename().string()) + (number.empty() ? "" : "_" + number)};
}

std::vector<VolumeName> names_with(std::size_t folders, const std::vector<TableVolume>& volumes) {
    std::vector<VolumeName> names;
    for (const TableVolume& volume : volumes) names.push_back(name_of(volume, folders));
    return names;
}

std::size_t different_anchors(const std::vector<VolumeName>& names) {
    std::set<std::string> anchors;
    for (const VolumeName& name : names) anchors.insert(name.anchor);
    return anchors.size();
}

}  // namespace

std::vector<VolumeName> names_of(const std::vector<TableVolume>& volumes) {
    std::size_t deepest = 0;
    for (const TableVolume& volume : volumes)
        deepest = std::max(deepest, std::size_t(std::ranges::distance(path_of(volume).parent_path().relative_path())));
    std::vector<VolumeName> names = names_with(0, volumes);
    for (std::size_t folders = 1; folders <= deepest && different_anchors(names) < names.size(); ++folders) {
        std::vector<VolumeName> longer = names_with(folders, volumes);
        if (different_anchors(longer) > different_anchors(names)) names = std::move(longer);
    }
    std::set<std::string> used;
    for (VolumeName& name : names) {
        const std::string anchor = name.anchor;
        for (int copy = 2; !used.insert(name.anchor).second; ++copy) name.anchor = anchor + "-" + std::to_string(copy);
    }
    return names;
}

}  // namespace voxcc::report
