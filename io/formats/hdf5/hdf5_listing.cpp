#include "io/formats/hdf5/hdf5_dataset.h"

#include <algorithm>
#include <set>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::size_t most_links = 100000;  // per file; more than real files have, fewer than a loop produces
constexpr int deepest_group = 64;

struct Link {
    std::string name;
    H5L_type_t type;
    haddr_t address;
};

bool is_candidate(const Dataset& dataset, const Element& element) {
    const bool empty = std::find(dataset.shape.begin(), dataset.shape.end(), 0) != dataset.shape.end();
    // An ITK image also stores its direction matrix and similar datasets beside its voxels.
    const bool beside_voxels = dataset.path.starts_with("/ITKImage/") && !dataset.path.ends_with("/VoxelData");
    return element.voxel && dataset.shape.size() >= 2 && !empty && !beside_voxels;
}

bool is_thin(const Dataset& dataset) {
    return std::count_if(dataset.shape.begin(), dataset.shape.end(), [](std::int64_t n) { return n > 1; }) < 2;
}

class Walk {
public:
    explicit Walk(const File& file) : file_(file) {}
    Listing run() {
        const std::string action = "read the list of datasets";
        const Id root = file_.own(H5Gopen2(file_, "/", H5P_DEFAULT), action);
        H5O_info_t info{};
        file_.check(H5Oget_info(root, &info), action);
        seen_.insert(info.addr);
        group(root, "", 0);
        if (listing_.candidates.empty()) listing_.candidates = std::move(thin_);
        return std::move(listing_);
    }

private:
    void group(const Id& id, const std::string& path, int depth) {
        if (depth > deepest_group) return listing_.warnings.push_back(path + ": groups nested too deeply, not listed");
        for (const Link& link : links_of(id, path)) {
            const std::string below = path + "/" + link.name;
            if (link.type == H5L_TYPE_EXTERNAL) listing_.warnings.push_back(below + ": leads to another file, not listed");
            // Targets of soft links are listed under their own path. An address seen before is another name, or a group that contains
            // itself.
            if (link.type != H5L_TYPE_HARD || !seen_.insert(link.address).second) continue;
            try {
                object(below, depth);
            } catch (const Error& error) {
                if (!is_about_content(error.kind())) throw;
                listing_.warnings.push_back(below + ": " + error.cause());
            }
        }
    }

    std::vector<Link> links_of(const Id& id, const std::string& path) {
        std::vector<Link> links;
        const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* to) -> herr_t {
            auto& found = *static_cast<std::vector<Link>*>(to);
            found.push_back({name, info->type, info->u.address});
            return found.size() > most_links;  // a nonzero result ends the iteration
        };
        const herr_t result = H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &links);
        links_ += links.size();
        if (links_ > most_links)
            throw Error(ErrorKind::invalid_file, file_.path(), "holds more than " + std::to_string(most_links) + " links");
        file_.check(result, "list the group " + (path.empty() ? "/" : path));
        return links;
    }

    void object(const std::string& path, int depth) {
        const Id id = file_.own(H5Oopen(file_, path.c_str(), H5P_DEFAULT), "open " + path);
        const H5I_type_t type = H5Iget_type(id);
        if (type == H5I_GROUP) return group(id, path, depth + 1);
        if (type != H5I_DATASET) return;
        const Element element = element_of(file_, id, path);
        const Id space = file_.own(H5Dget_space(id), "read the shape of " + path);
        std::vector<hsize_t> shape(std::size_t(file_.check(H5Sget_simple_extent_ndims(space), "read the shape of " + path)));
        if (!shape.empty()) file_.check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "read the shape of " + path);
        Dataset dataset{path, element.name, {shape.begin(), shape.end()}};
        if (is_candidate(dataset, element)) (is_thin(dataset) ? thin_ : listing_.candidates).push_back(path);
        listing_.datasets.push_back(std::move(dataset));
    }

    const File& file_;
    Listing listing_;
    std::vector<std::string> thin_;  // candidates only if there are no others: a column of numbers is rarely an image
    std::set<haddr_t> seen_;
    std::size_t links_ = 0;
};

}  // namespace

Listing list_datasets(const File& file) {
    const Lock lock;
    return Walk(file).run();
}

std::string to_text(const std::vector<Dataset>& datasets, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, datasets.size()); ++i) {
        const Dataset& dataset = datasets[i];
        if (i > 0) text += ", ";
        text += dataset.path + " " + dataset.type;
        for (std::size_t axis = 0; axis < dataset.shape.size(); ++axis) {
            text += axis ? "x" : " ";
            text += std::to_string(dataset.shape[axis]);
        }
    }
    if (datasets.size() > most) text += " and " + std::to_string(datasets.size() - most) + " more";
    return datasets.empty() ? "no dataset" : text;
}

}  // namespace voxcc::io::hdf5
