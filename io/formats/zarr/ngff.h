// The metadata of OME-Zarr (NGFF 0.1 to 0.5): multiscale images with axes, units and transformations, and their labels.
// https://ngff.openmicroscopy.org/0.4/, https://ngff.openmicroscopy.org/0.5/
#pragma once
#include "io/formats/zarr/json_value.h"

namespace voxcc::io::zarr {

struct Axis {
    std::string name, type, unit;  // type: "space", "time", "channel" or another word; unit: "um"; "" if not stated
};

/// A resolution level. The vectors have one element per axis, or none if the level has no transformations.
struct Level {
    std::string path;  // relative to the group
    std::vector<double> scale, translation;
};

struct Multiscales {
    std::string version;
    std::vector<Axis> axes;                       // slowest first
    std::vector<Level> levels;                    // largest first
    std::vector<std::string> channel_names = {};  // as the metadata for display (omero) state them; of any number
};

/// What a group is.
struct Group {
    enum class Kind : std::uint8_t { plain, image, label_image, several_images, plate } kind = Kind::plain;
    std::vector<Multiscales> multiscales;
    std::vector<std::string> fields;  // of a plate: the paths of its images
};

/// Reads the attributes of a group. @param format of Zarr: 2 or 3
/// @throw Error invalid_file, unsupported_file for other versions of NGFF
Group parse_group(const JsonValue& attributes, int format);

}  // namespace voxcc::io::zarr
