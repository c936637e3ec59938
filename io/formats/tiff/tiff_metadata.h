// The meaning of the pages of a TIFF: depth, channels, time points and voxel size, from metadata of ImageJ, OME and tifffile.
#pragma once
#include "io/length_unit.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

struct PageAxis {
    char name;  // 'Z' depth, 'C' channels, 'T' time points; tifffile has more letters
    std::int64_t size;
};

enum class PageStorage {
    directory_each,
    contiguous,  // one directory, followed by the data of all pages: ImageJ stores stacks over 4 GB in this way
};

/// A file of a set that one OME-XML describes.
struct NamedFile {
    std::string name;  // as in the metadata; not checked
    std::string uuid;  // "urn:uuid:..."; empty if the metadata do not state it
    bool operator==(const NamedFile&) const = default;
};

struct PlanePlace {
    std::int64_t file = 0;  // 0: the file with the metadata; further files of a set from 1
    std::int64_t page = 0;  // 0-based
};

/// The size of a voxel along one axis, as the metadata state it.
struct StatedLength {
    double length = 0;
    std::string unit;  // as in the metadata: "micron"; "" if they state none
};

struct PageStack {
    std::vector<PageAxis> axes;              // of the pages, fastest first; must contain 'Z' exactly once
    std::vector<PlanePlace> place_of_plane;  // empty if the planes are pages of this file in the order of the axes
    PageStorage storage = PageStorage::directory_each;
    std::array<std::optional<StatedLength>, 3> size;  // along x, y, z; empty where unknown
    std::string source;                               // of the size: "the metadata of ImageJ"
    std::vector<std::string> notes;                   // on the size
    std::vector<std::string> channel_names;           // as the metadata state them; of any number
    std::vector<std::string> warnings;

    std::int64_t planes() const;
    std::int64_t depth() const;
    std::int64_t volumes() const { return planes() / depth(); }
    /// @param volume 0-based; counts along all axes of the pages except depth, the fastest first
    /// @param z slice, in [0, depth())
    // axes = C 2, Z 5, T 3: volume = 3, z = 4  ->  plane 1 + 2 * 4 + 10 * 1 = 19
    PlanePlace place(std::int64_t volume, std::int64_t z) const;
};

/// Where the samples of a pixel are in the memory of an array: RGB RGB, or an image per sample.
enum class SampleAxis { fastest, slowest };

struct TiffDescription {
    std::string path;  // for messages, and the name of the file in OME-XML
    std::string text;  // ImageDescription of the first page
    std::int64_t nx = 0, ny = 0;
    std::int64_t samples = 1;  // per pixel
    SampleAxis sample_axis = SampleAxis::fastest;
    std::int64_t pages = 0;
    std::optional<double> x_units_per_pixel, y_units_per_pixel;  // 1 / XResolution, 1 / YResolution
    std::optional<LengthUnit> resolution_unit;                   // inch or cm; empty if the resolution has no unit
    /// Opens and checks a further file of a set. Called once per file, in the order of PlanePlace::file. @return the number of its pages
    std::function<std::int64_t(const NamedFile&)> open_further_file;
};

/// Interprets the description of a file.
/// @throw Error about the content if it states more images than the file has pages, or contradicts itself; errors of open_further_file()
PageStack read_page_stack(const TiffDescription& description);

/// The same as read_page_stack(), for OME-XML.
PageStack read_ome_stack(const TiffDescription& description);
bool is_ome(std::string_view text);
/// @return the UUID of the file with this description; empty if it states none, or is not OME-XML
/// @throw Error invalid_file if the OME-XML is not well-formed
std::string uuid_of_ome(const std::string& path, const std::string& text);

}  // namespace voxcc::io
