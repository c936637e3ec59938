// What the pages of a TIFF mean: depth, channels, time points and voxel size, as ImageJ, OME and tifffile write it down.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

struct PageAxis {
    char name;  // 'Z' is depth, 'C' channels, 'T' time points; tifffile knows more letters
    std::int64_t size;
};

enum class PageStorage {
    directory_each,
    contiguous,  // one directory, all pages one after the other behind it: how ImageJ passes 4 GB
};

struct PageStack {
    std::vector<PageAxis> axes;               // fastest first; exactly one 'Z'
    std::vector<std::int64_t> page_of_plane;  // if not in the order of the axes
    PageStorage storage = PageStorage::directory_each;
    std::array<std::optional<double>, 3> spacing;  // mm, what is known of it
    std::vector<std::string> warnings;

    std::int64_t planes() const;
    std::int64_t depth() const;
    std::int64_t volumes() const { return planes() / depth(); }
    /// Volumes count up along the axes that are not depth, the fastest first.
    std::int64_t page(std::int64_t volume, std::int64_t z) const;
    /// "3 channels (C), 5 time points (T)"
    std::string kinds_of_volumes() const;
};

struct TiffDescription {
    std::string path;  // for messages
    std::string text;  // ImageDescription of the first page
    std::int64_t nx = 0, ny = 0;
    std::int64_t pages = 0;
    std::optional<double> x_units_per_pixel, y_units_per_pixel;  // 1 / XResolution, 1 / YResolution
};

/// @throw Error bad_data if the description says that there is more than the pages there are, or contradicts itself
PageStack read_page_stack(const TiffDescription& description);

/// The same from OME-XML.
PageStack read_ome_stack(const TiffDescription& description);
bool is_ome(std::string_view text);

/// A length in mm; empty if the unit is no length ("pixel").
std::optional<double> millimetres(double length, std::string_view unit);

}  // namespace voxcc::io
