#include "io/formats/zarr/place.h"

#include "io/files/zarr_tree.h"
#include "io/formats/zarr/hierarchy.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/stores.h"

#include <filesystem>

namespace voxcc::io::zarr {
namespace {

namespace fs = std::filesystem;

/// Whether the array at `dataset` is a level of an image of the store.
bool is_level(const Store& store, const std::string& dataset) {
    try {
        const auto chosen = choose_array(store, dataset);
        return chosen && chosen->image && chosen->path == dataset;
    } catch (const Error&) {
        return false;  // the array is readable without the folder above it
    }
}

/// The image above an array, up to two folders: "IMAGE/0", "IMAGE/scale0/image".
std::optional<Place> image_above(const fs::path& array, ExternalFiles external) {
    std::string dataset = array.filename().string();
    fs::path folder = array.parent_path();
    for (int step = 0; step < 2 && !folder.empty() && folder.has_filename(); ++step) {
        if (is_zarr(folder.string())) {
            auto store = open_folder(folder.string(), external);
            if (is_level(*store, dataset)) return Place{std::move(store), dataset};
        }
        dataset = joined(folder.filename().string(), dataset);
        folder = folder.parent_path();
    }
    return {};
}

}  // namespace

std::unique_ptr<Store> open_store(const std::string& path, ExternalFiles external) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? open_folder(path, external) : open_archive(path);
}

Place open_place(const std::string& path, ExternalFiles external) {
    fs::path folder(path);
    if (is_metadata_name(folder.filename().string())) folder = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    if (!folder.has_filename()) folder = folder.parent_path();
    auto store = open_store(folder.string(), external);
    const auto root = read_node(*store, "");
    if (root && root->is_array)
        if (auto place = image_above(folder, external)) return std::move(*place);
    return {std::move(store), ""};
}

}  // namespace voxcc::io::zarr
