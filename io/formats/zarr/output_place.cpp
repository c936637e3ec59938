#include "io/formats/zarr/output_place.h"

#include "io/files/checked_file.h"
#include "io/formats/zarr/hierarchy.h"
#include "io/formats/zarr/image_labels.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/output_metadata.h"
#include "io/formats/zarr/stores.h"
#include "io/formats/zarr/zarr.h"

#include <filesystem>

namespace voxcc::io {

void check_zarr_output(const std::string& path, int /*compress*/, const OutputFiles& outputs, Content) {
    const auto labels = labels_of_image(path);
    const std::string target = folder_path(path);
    if (labels) {
        const std::string version = zarr::labels_form(*labels).description.version;
        zarr::require_no_link(*labels);
        std::error_code ignored;
        if (!std::filesystem::exists(labels->folder(), ignored)) return check_folder(labels->image);
        outputs.check_zarr_folder(target);
        return zarr::check_label_list(*labels, version);
    }
    if (const std::string parent = folder_for(target); is_zarr(parent))
        throw Error(ErrorKind::cannot_create, path,
                    "lies in the Zarr store '" + parent + "'; name labels of an image as IMAGE/labels/NAME");
    if (is_archive_name(target)) return outputs.check(path);
    outputs.check_zarr_folder(target);
    zarr::require_replaceable_store(target);
}

namespace zarr {
namespace {

/// Whether voxcc has written all arrays of a store, of which there must be one.
bool is_own(const std::string& folder) {
    try {
        const auto store = open_folder(folder, ExternalFiles::refuse);
        const Listing listing = list_arrays(*store);
        bool all = !listing.datasets.empty() && listing.warnings.empty();
        for (const Dataset& dataset : listing.datasets) {
            const auto node = read_node(*store, dataset.path.substr(1));
            all = all && node && node->attributes.is_object() && node->attributes.contains("voxcc");
        }
        return all;
    } catch (const Error& error) {
        return error.kind() == ErrorKind::interrupted_output;  // the repetition of the interrupted command replaces it
    }
}

}  // namespace

void require_no_link(const LabelsOfImage& labels) {
    std::error_code ignored;
    if (std::filesystem::is_symlink(labels.folder(), ignored))
        throw Error(ErrorKind::cannot_create, labels.folder(), "is a symbolic link, and labels are written only into the image itself");
}

void check_label_list(const LabelsOfImage& labels, const std::string& version) {
    const auto store = open_folder(labels.image, ExternalFiles::refuse);
    const OutputFiles replaced(Overwrite::allow, nullptr);
    OrderedJson before;
    for (const std::string name : version == "0.5" ? std::vector{"zarr.json"} : std::vector{".zgroup", ".zattrs"}) {
        replaced.check(labels.folder() + "/" + name);
        const auto blob = store->open("labels/" + name);
        before = blob ? read_json_to_change(*blob) : OrderedJson();
    }
    for (const Document& document : label_list_documents(before, version, labels.name))
        require_readable(document.text, labels.folder() + "/" + document.key);
}

void require_replaceable_store(const std::string& folder) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored) || std::filesystem::is_empty(folder, ignored)) return;
    if (std::filesystem::exists(folder + "/labels", ignored))
        throw Error(
            ErrorKind::cannot_create, folder,
            "is an image with labels, which would be lost; name labels of the image as " + folder + "/labels/NAME, or remove it before");
    if (!is_own(folder))
        throw Error(ErrorKind::cannot_create, folder,
                    "was not written by voxcc, or is damaged; name labels of the image as " + folder + "/labels/NAME, or remove it before");
}

}  // namespace zarr
}  // namespace voxcc::io
