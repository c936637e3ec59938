// The axes of a NRRD array: which ones span a volume, and which one counts volumes.
#pragma once
#include "io/formats/stored/stored_volume.h"
#include "io/header_text.h"
#include "io/orientation.h"

namespace voxcc::io {

/// An axis of space. Lengths are in the unit of the file.
struct NrrdAxis {
    std::int64_t size = 0;
    std::optional<Vector3> step;
    std::optional<double> spacing;
    std::string unit;  // of the spacing
};

struct NrrdShape {
    std::vector<NrrdAxis> space;  // one to three, fastest first
    std::int64_t volumes = 1;
    std::vector<VolumeAxis> volume_axes;       // the axis of time, if it counts the volumes
    std::optional<Interleaving> interleaving;  // empty: the voxels of a volume follow each other
};

/// Finds the axes of space by 'space directions' or 'kinds'. Another axis of more than one element counts volumes, at any position.
/// @throw Error several_values for colours and vectors with a fixed number of values; unsupported_file for more than four axes of more than
/// one element; invalid_file
// sizes "2 20 17 6", kinds "list domain domain domain"  ->  2 volumes of 20 x 17 x 6 voxels, {{2, 40, 680}, 1}
NrrdShape shape_of_nrrd(const Fields& fields, const std::string& path);

/// @throw Error invalid_file if the header does not have the field
const std::string& required_field(const Fields& fields, std::string_view name, const std::string& path);

/// Parses two or three numbers. @throw Error invalid_file
Vector3 parse_vector(std::string_view text, const std::string& path, std::string_view field);

/// The texts in quotation marks. An unfinished quotation is left out.
// "mm" "um" ""  ->  mm, um and an empty text
std::vector<std::string> quoted_texts(std::string_view text);

}  // namespace voxcc::io
