#include "src/parts/input_files.h"

#include "src/messages/file_record.h"
#include "src/options/numbers.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/selector.h"

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <set>

namespace voxcc::parts {
namespace {

/// The folder of the array of a Zarr folder. Only its files count: labels may be added to the image beside it.
std::string array_folder(const std::string& path, const io::VolumeInfo& info) {
    std::string folder = path;
    while (folder.ends_with('/')) folder.pop_back();
    return folder.ends_with(info.dataset) ? folder : folder + info.dataset;
}

/// "name bytes nanoseconds"; only the name if the file does not exist any more. @param of regular files or folders
std::string described(const std::string& path, mode_t of) {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0 || (st.st_mode & S_IFMT) != of) return path + "\n";
    const std::string bytes = of == S_IFREG ? std::to_string(st.st_size) : "folder";
    return path + " " + bytes + " " + std::to_string(st.st_mtim.tv_sec) + "." + std::to_string(st.st_mtim.tv_nsec) + "\n";
}

std::string text_of(const io::Geometry& geometry) {
    std::string text(geometry.unit ? io::name_of(*geometry.unit) : "");
    if (geometry.spacing)
        for (const double step : *geometry.spacing) text += shortest_text(step) + " ";
    if (geometry.affine)
        for (const auto& row : *geometry.affine)
            for (const double number : row) text += shortest_text(number) + " ";
    return text + "\n";
}

}  // namespace

std::string checksum_of_files(const std::string& input, const InputOptions& options, const io::VolumeInfo& info, std::size_t most) {
    const std::string path = divide_input(input).path;
    std::vector<std::string> files = files_of_input(input, options);
    std::error_code unknown;
    if (files.empty() || (files.size() == 1 && std::filesystem::is_regular_file(path, unknown))) return {};
    if (std::holds_alternative<io::ZarrDetails>(info.details))
        std::erase_if(files, [start = array_folder(path, info) + "/"](const std::string& file) { return !file.starts_with(start); });
    std::string text = text_of(info.geometry);
    if (files.size() <= most) {
        for (const std::string& file : files) text += described(file, S_IFREG);
    } else {
        std::set<std::string> folders;
        for (const std::string& file : files) {
            text += file + "\n";
            folders.insert(std::filesystem::path(file).parent_path().string());
        }
        for (const std::string& folder : folders) text += described(folder, S_IFDIR);
    }
    return sha256_of(text);
}

}  // namespace voxcc::parts
