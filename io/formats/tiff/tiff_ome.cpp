// Reading of the OME-XML of OME-TIFF: sizes, order of pages, voxel size.
#include "io/formats/tiff/ome_xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace voxcc::io {
namespace {

// A file may leave out the unit; the schema then gives it.
std::string_view unit_of(const Attributes& pixels, const std::string& axis) {
    const auto unit = pixels.find("PhysicalSize" + axis + "Unit");
    return unit == pixels.end() ? "um" : std::string_view(unit->second);
}

std::optional<StatedLength> physical_size(const Attributes& pixels, const std::string& axis) {
    const auto size = pixels.find("PhysicalSize" + axis);
    if (size == pixels.end()) return {};
    double value = 0;
    std::from_chars(size->second.data(), size->second.data() + size->second.size(), value);
    if (!std::isfinite(value) || value <= 0) return {};
    return StatedLength{value, std::string(unit_of(pixels, axis))};
}

// The axes of the pages. SizeC counts the samples of all pages.
std::vector<PageAxis> axes_of(const TiffDescription& d, const Attributes& pixels) {
    const auto found = pixels.find("DimensionOrder");
    const std::string order = found == pixels.end() ? "XYZCT" : found->second;
    std::vector<PageAxis> axes;
    std::int64_t planes = 1;
    for (const char axis : order.substr(std::min<std::size_t>(order.size(), 2))) {
        if (axis != 'Z' && axis != 'C' && axis != 'T') break;
        std::int64_t size = whole_number(d.path, pixels, std::string("Size") + axis).value_or(1);
        if (axis == 'C' && d.samples > 1) {
            if (size % d.samples != 0)
                refuse_ome(d.path, "SizeC is " + std::to_string(size) + ", but pixels have " + std::to_string(d.samples) + " samples");
            size /= d.samples;
        }
        if (size < 1 || __builtin_mul_overflow(planes, size, &planes))
            refuse_ome(d.path, std::string("Size") + axis + " is " + std::to_string(size));
        axes.push_back({axis, size});
    }
    std::string named = order;
    std::sort(named.begin(), named.end());
    if (named != "CTXYZ" || axes.size() != 3) refuse_ome(d.path, "DimensionOrder is '" + order + "'");
    return axes;
}

// A file of a set can lead to the metadata in another file of the set.
void refuse_other_than_one_image(const TiffDescription& d, const OmeXml& ome) {
    if (ome.pixels.size() > 1)
        refuse_ome(d.path, std::to_string(ome.pixels.size()) + " images in one file; save one image per file", ErrorKind::unsupported_file);
    if (ome.pixels.empty() && !ome.metadata_file.empty())
        refuse_ome(d.path, "its metadata are in '" + ome.metadata_file + "'; give the name of that file", ErrorKind::unsupported_file);
    if (ome.pixels.empty()) refuse_ome(d.path, "no Pixels; save it as a single OME-TIFF", ErrorKind::unsupported_file);
}

// OME permits pages that are not planes of the image, if TiffData names the page of each plane.
void compare_pages(const TiffDescription& d, PageStack& stack) {
    const std::int64_t further = d.pages - stack.planes();
    if (further == 0) return;
    if (further < 0 || stack.place_of_plane.empty())
        refuse_ome(d.path, "tells of " + std::to_string(stack.planes()) + (stack.planes() == 1 ? " plane" : " planes") +
                               ", but the file has " + std::to_string(d.pages) + (d.pages == 1 ? " page" : " pages"));
    stack.warnings.push_back(std::to_string(further) + (further == 1 ? " page is" : " pages are") +
                             " not used, because the OME-XML does not name a plane for " + (further == 1 ? "it" : "them"));
}

}  // namespace

bool is_ome(std::string_view text) {
    if (!text.starts_with("<")) return false;
    const std::string_view head = text.substr(0, 4096);
    return head.find("<OME ") != std::string_view::npos || head.find("<OME>") != std::string_view::npos ||
           head.find(":OME ") != std::string_view::npos;
}

PageStack read_ome_stack(const TiffDescription& d) {
    OmeXml ome = parse_ome_xml(d.path, d.text);
    refuse_other_than_one_image(d, ome);
    const Attributes& pixels = ome.pixels.front();
    PageStack stack;
    stack.axes = axes_of(d, pixels);
    stack.place_of_plane = places_of_planes(d, stack, ome);
    const bool is_one_file = std::ranges::all_of(stack.place_of_plane, [](const PlanePlace& place) { return place.file == 0; });
    if (is_one_file) compare_pages(d, stack);
    stack.size = {physical_size(pixels, "X"), physical_size(pixels, "Y"), physical_size(pixels, "Z")};
    stack.source = "the OME-XML";
    stack.channel_names = std::move(ome.channel_names);
    return stack;
}

}  // namespace voxcc::io
