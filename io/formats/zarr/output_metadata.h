// The metadata of Zarr outputs. The documents have a fixed order of keys, so that equal outputs have equal bytes.
#pragma once
#include "io/formats/zarr/ngff.h"
#include "io/formats/zarr/output_layout.h"
#include "io/io.h"

namespace voxcc::io::zarr {

/// A metadata file of an output.
struct Document {
    std::string key, text;
};

/// How a level follows from the level before it.
enum class Reduction : std::uint8_t { mode, nearest };

/// The image that the group of an output describes.
struct ImageDescription {
    std::string version = "0.5";  // of NGFF: "0.4" or "0.5"
    std::string name;
    OrderedJson axes = OrderedJson::array();        // of "multiscales"
    std::vector<OrderedJson> transformations = {};  // of each level: a list, or null
    OrderedJson common_transformations = nullptr;   // of all levels; null: none
    std::optional<Reduction> pyramid = {};          // empty: one level
    enum class Kind : std::uint8_t { image, labels, labels_of_image } kind = Kind::labels;
};

/// Describes an output that has no image, from the geometry of its input. The positions of an affine that turns axes are not stored.
/// @param form its axes @param levels extents, largest first
ImageDescription describe_output(const VolumeInfo& like, const ArrayForm& form, const std::vector<Extent>& levels, Reduction reduction);

/// The names of the axes of `description`.
std::vector<std::string> axis_names(const ImageDescription& description);

/// @param files that are stored; the reader compares this number with the files that it finds
std::vector<Document> array_documents(const ArrayForm& form, const ArrayLayout& layout, const std::vector<std::string>& axis_names,
                                      std::int64_t files);
std::vector<Document> group_documents(const ImageDescription& description, const std::vector<ArrayLayout>& levels);

/// The documents of a group "labels". @param before the document that exists, or null
std::vector<Document> label_list_documents(const OrderedJson& before, const std::string& version, const std::string& name);

}  // namespace voxcc::io::zarr
