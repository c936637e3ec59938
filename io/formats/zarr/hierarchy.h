// The arrays and groups of a store, and the choice of the array that is read.
#pragma once
#include "io/formats/zarr/array.h"
#include "io/formats/zarr/ngff.h"

namespace voxcc::io::zarr {

/// An array or a group.
struct Node {
    std::string path;  // in the store; "" for the root
    int format = 2;
    bool is_array = false;
    std::string document;  // the name of the metadata, for errors
    nlohmann::json metadata, attributes;
};

/// @return empty if the store has no array or group at this path. @throw Error about the content of the metadata
std::optional<Node> read_node(const Store& store, const std::string& path);

/// @throw Error as parse_array_v2()
ArrayMetadata array_of(const Node& node);
Group group_of(const Node& node);

/// An array, and the image whose level it is.
struct ChosenArray {
    std::string path;
    ArrayMetadata array;
    std::optional<Multiscales> image;  // empty for an array that no group describes
    std::size_t level = 0;             // in image->levels
    std::string group;                 // the path of the group of the image
    Group::Kind kind = Group::Kind::plain;
};

/// Finds the array that a path leads to: itself, the first level of an image, or the only array that can be a volume.
/// @param dataset path of an array or a group, with or without a '/' at its start; empty: the root
/// @return empty if several arrays or images are possible
/// @throw Error no_such_dataset; about the content
std::optional<ChosenArray> choose_array(const Store& store, const std::string& dataset);

/// All arrays of a store, in the order of their paths. Groups are searched to a limited depth and number.
struct Listing {
    std::vector<Dataset> datasets;     // paths start with '/'
    std::vector<std::string> choices;  // paths of the arrays that can be the volume: of each image the first level; labels only if no other
    std::vector<std::string> warnings;  // nodes that could not be read
};
Listing list_arrays(const Store& store);

/// "/0, /1": at most 20 paths, for Error::choices()
std::string to_text(const std::vector<std::string>& paths);

}  // namespace voxcc::io::zarr
