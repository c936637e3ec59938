// Reading of the OME-XML of OME-TIFF: sizes, order of pages, voxel size. Schema: www.openmicroscopy.org/Schemas/OME/2016-06
#include <voxcc/error.h>
#include "io/tiff/tiff_metadata.h"

#include <expat.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string_view>

namespace voxcc::io {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Ome {
    std::vector<Attributes> pixels;     // one per image
    std::vector<Attributes> tiff_data;  // map planes to directories
};

// Element names are "prefix:Name" or "Name". The prefix is ignored.
void XMLCALL start_element(void* to, const XML_Char* qualified, const XML_Char** pairs) {
    std::string_view name = qualified;
    name.remove_prefix(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1);
    auto& ome = *static_cast<Ome*>(to);
    if (name != "Pixels" && name != "TiffData") return;
    Attributes attributes;
    for (; *pairs; pairs += 2) attributes[pairs[0]] = pairs[1];
    (name == "Pixels" ? ome.pixels : ome.tiff_data).push_back(std::move(attributes));
}

[[noreturn]] void refuse(const TiffDescription& d, const std::string& cause, ErrorKind kind = ErrorKind::invalid_file) {
    throw Error(kind, d.path, "OME-XML: " + cause);
}

Ome parse(const TiffDescription& d) {
    const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr), XML_ParserFree);
    if (!parser) throw Error(ErrorKind::out_of_memory, d.path, "cannot parse its OME-XML");
    if (d.text.size() > std::size_t(std::numeric_limits<int>::max())) refuse(d, "longer than 2 GiB");
    Ome ome;
    XML_SetUserData(parser.get(), &ome);
    XML_SetStartElementHandler(parser.get(), start_element);
    if (XML_Parse(parser.get(), d.text.data(), int(d.text.size()), XML_TRUE) != XML_STATUS_OK)
        refuse(d, std::string("not well-formed: ") + XML_ErrorString(XML_GetErrorCode(parser.get())));
    return ome;
}

std::int64_t integer(const TiffDescription& d, const Attributes& attributes, std::string_view name, std::int64_t absent) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) return absent;
    std::int64_t value = 0;
    const char *begin = found->second.data(), *end = begin + found->second.size();
    if (std::from_chars(begin, end, value).ptr != end || value < 0)
        refuse(d, std::string(name) + " is '" + found->second + "', not a whole number");
    return value;
}

// A file may leave out the unit; the schema then gives it.
std::string_view unit_of(const Attributes& pixels, const std::string& axis) {
    const auto unit = pixels.find("PhysicalSize" + axis + "Unit");
    return unit == pixels.end() ? "um" : std::string_view(unit->second);
}

std::optional<double> physical_size(const Attributes& pixels, const std::string& axis) {
    const auto size = pixels.find("PhysicalSize" + axis);
    if (size == pixels.end()) return {};
    double value = 0;
    std::from_chars(size->second.data(), size->second.data() + size->second.size(), value);
    if (!std::isfinite(value) || value <= 0) return {};
    return millimetres(value, unit_of(pixels, axis));
}

// TiffData: PlaneCount planes, starting at (FirstZ, FirstC, FirstT), are in the directories from IFD on. Without TiffData, the directories
// are in the order of the axes; the result is then empty.
std::vector<std::int64_t> pages_of_planes(const TiffDescription& d, const PageStack& stack, const std::vector<Attributes>& tiff_data) {
    if (tiff_data.empty()) return {};
    std::vector<std::int64_t> pages(std::size_t(stack.planes()), -1);
    std::vector<char> used(pages.size(), 0);
    for (const Attributes& data : tiff_data) {
        const std::int64_t directory = integer(d, data, "IFD", 0);
        const std::int64_t count = integer(d, data, "PlaneCount", data.contains("IFD") ? 1 : stack.planes());
        std::int64_t plane = 0, stride = 1;
        for (const PageAxis& axis : stack.axes) {
            const std::int64_t first = integer(d, data, std::string("First") + axis.name, 0);
            if (first >= axis.size) refuse(d, std::string("First") + axis.name + " is beyond the last plane");
            plane += first * stride;
            stride *= axis.size;
        }
        if (directory > d.pages || count > d.pages - directory || count > stack.planes() - plane)
            refuse(d, "TiffData names planes that are not in this file; sets of several files are not supported",
                   ErrorKind::unsupported_file);
        for (std::int64_t i = 0; i < count; ++i) {
            if (used[std::size_t(directory + i)]++) refuse(d, "two planes in page " + std::to_string(directory + i));
            pages[std::size_t(plane + i)] = directory + i;
        }
    }
    for (const std::int64_t page : pages)
        if (page < 0) refuse(d, "TiffData leaves planes out; sets of several files are not supported", ErrorKind::unsupported_file);
    return pages;
}

}  // namespace

bool is_ome(std::string_view text) {
    if (!text.starts_with("<")) return false;
    const std::string_view head = text.substr(0, 4096);
    return head.find("<OME ") != std::string_view::npos || head.find("<OME>") != std::string_view::npos ||
           head.find(":OME ") != std::string_view::npos;
}

PageStack read_ome_stack(const TiffDescription& d) {
    const Ome ome = parse(d);
    if (ome.pixels.empty())
        refuse(d, "no Pixels: the metadata lie in another file; save it as a single OME-TIFF", ErrorKind::unsupported_file);
    if (ome.pixels.size() > 1)
        refuse(d, std::to_string(ome.pixels.size()) + " images in one file; save one image per file", ErrorKind::unsupported_file);
    const Attributes& pixels = ome.pixels.front();
    const auto found = pixels.find("DimensionOrder");
    const std::string order = found == pixels.end() ? "XYZCT" : found->second;
    PageStack stack;
    std::int64_t planes = 1;
    for (const char axis : order.substr(std::min<std::size_t>(order.size(), 2))) {
        if (axis != 'Z' && axis != 'C' && axis != 'T') break;
        std::int64_t size = integer(d, pixels, std::string("Size") + axis, 1);
        if (axis == 'C' && d.samples > 1) {  // SizeC counts the samples of all pages
            if (size % d.samples != 0)
                refuse(d, "SizeC is " + std::to_string(size) + ", but pixels have " + std::to_string(d.samples) + " samples");
            size /= d.samples;
        }
        if (size < 1 || __builtin_mul_overflow(planes, size, &planes))
            refuse(d, std::string("Size") + axis + " is " + std::to_string(size));
        stack.axes.push_back({axis, size});
    }
    std::string named = order;
    std::sort(named.begin(), named.end());
    if (named != "CTXYZ" || stack.axes.size() != 3) refuse(d, "DimensionOrder is '" + order + "'");
    if (planes != d.pages)
        refuse(d, "tells of " + std::to_string(planes) + " planes, the file has " + std::to_string(d.pages) +
                      " pages; copy or download it again, or save a set of several files as one file");
    stack.page_of_plane = pages_of_planes(d, stack, ome.tiff_data);
    stack.spacing = {physical_size(pixels, "X"), physical_size(pixels, "Y"), physical_size(pixels, "Z")};
    if (stack.spacing[0]) stack.unit = length_unit(unit_of(pixels, "X"));
    return stack;
}

}  // namespace voxcc::io
