#include "io/formats/tiff/tiff_metadata.h"

#include <voxcc/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace voxcc::io {
namespace {

using Entries = std::map<std::string, std::string, std::less<>>;

Entries lines_of(const std::string& text) {
    Entries entries;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        if (const std::size_t equals = line.find('='); equals != std::string::npos)
            entries[line.substr(0, equals)] = line.substr(equals + 1);
        start = end + 1;
    }
    return entries;
}

template <class T>
std::optional<T> number(const Entries& entries, std::string_view key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return {};
    T value{};
    const char *begin = found->second.data(), *end = begin + found->second.size();
    if (std::from_chars(begin, end, value).ec != std::errc{}) return {};
    return value;
}

[[noreturn]] void contradict(const TiffDescription& d, const std::string& cause) {
    throw Error(ErrorKind::invalid_file, d.path, cause + "; copy or download it again, or save it again without its description");
}

// The stack for pages without usable metadata: every page is a slice.
PageStack plain_stack(const TiffDescription& d) {
    PageStack stack;
    stack.axes = {{'Z', d.pages}};
    return stack;
}

// Refuses sizes that are not positive or whose product overflows.
void check_axes(const TiffDescription& d, const PageStack& stack) {
    std::int64_t product = 1;
    for (const PageAxis& axis : stack.axes)
        if (axis.size < 1 || __builtin_mul_overflow(product, axis.size, &product))
            contradict(d, "its description gives the axis " + std::string(1, axis.name) + " the size " + std::to_string(axis.size));
}

PageStack settle(const TiffDescription& d, PageStack stack, PageStorage if_one_page, const char* software) {
    check_axes(d, stack);
    if (stack.planes() == d.pages) return stack;
    const std::string told = std::string(software) + " metadata state " + std::to_string(stack.planes()) + " images, but the file has " +
                             std::to_string(d.pages) + (d.pages == 1 ? " page" : " pages");
    if (stack.planes() < d.pages && stack.volumes() > 1) contradict(d, told);
    if (stack.planes() > d.pages) {
        if (d.pages > 1 || if_one_page == PageStorage::directory_each) contradict(d, told);
        stack.storage = PageStorage::contiguous;
        return stack;
    }
    PageStack plain = plain_stack(d);
    plain.warnings.push_back(told + ": all pages are taken as slices");
    return plain;
}

// Replaces the escapes with which ImageJ writes letters beyond ASCII: \\u and four hexadecimal digits.
// "\\u03BCm" -> "μm" in UTF-8
std::string without_escapes(const std::string& text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        unsigned code = 0;
        const char *const digits = text.data() + at + 2, *const end = digits + 4;
        const bool is_escape =
            text.compare(at, 2, "\\u") == 0 && text.size() - at >= 6 && std::from_chars(digits, end, code, 16).ptr == end;
        if (!is_escape) {
            plain += text[at++];
            continue;
        }
        if (code < 0x80) plain += char(code);
        else if (code < 0x800) plain += {char(0xC0 | code >> 6), char(0x80 | (code & 0x3F))};
        else plain += {char(0xE0 | code >> 12), char(0x80 | (code >> 6 & 0x3F)), char(0x80 | (code & 0x3F))};
        at += 6;
    }
    return plain;
}

// The lengths are 1/XResolution, 1/YResolution and `spacing`. `unit` is the unit of all axes without `yunit` or `zunit`. ImageJ omits a
// spacing of 1 in stacks, and takes the size of a negative one. Without unit and spacing, only pixels that are not square state something.
void add_imagej_size(const TiffDescription& d, const Entries& entries, PageStack& stack) {
    const auto unit_of = [&](std::string_view axis) {
        for (const std::string& name : {std::string(axis) + "unit", std::string("unit")})
            if (const auto found = entries.find(name); found != entries.end()) return without_escapes(found->second);
        return std::string();
    };
    auto spacing = number<double>(entries, "spacing");
    const bool is_plain = !spacing && entries.find("unit") == entries.end() && d.x_units_per_pixel == d.y_units_per_pixel;
    if (is_plain) return;
    if (!spacing && stack.depth() > 1) spacing = 1;
    stack.source = "the metadata of ImageJ";
    if (d.x_units_per_pixel) stack.size[0] = {*d.x_units_per_pixel, unit_of("x")};
    if (d.y_units_per_pixel) stack.size[1] = {*d.y_units_per_pixel, unit_of("y")};
    if (!spacing) return;
    if (!std::isfinite(*spacing) || *spacing == 0) {
        stack.notes.emplace_back("ImageJ metadata give a distance of slices that is not a number above 0; it is not used");
        return;
    }
    if (*spacing < 0) stack.notes.emplace_back("ImageJ metadata give a negative distance of slices; as in ImageJ, its size is used");
    stack.size[2] = {std::abs(*spacing), unit_of("z")};
}

// Reads ImageJ metadata. Pages are in the order XYCZT.
PageStack read_imagej(const TiffDescription& d) {
    const Entries entries = lines_of(d.text);
    const std::int64_t images = number<std::int64_t>(entries, "images").value_or(1);
    const auto channels = number<std::int64_t>(entries, "channels"), slices = number<std::int64_t>(entries, "slices"),
               frames = number<std::int64_t>(entries, "frames");
    PageStack stack;
    if (channels || slices || frames) {
        stack.axes = {{'C', channels.value_or(1)}, {'Z', slices.value_or(1)}, {'T', frames.value_or(1)}};
        check_axes(d, stack);
        if (stack.planes() != images)
            contradict(d, "ImageJ metadata state " + std::to_string(images) + " images, but also " + std::to_string(stack.planes()));
    } else {
        stack.axes = {{'Z', images}};
    }
    stack = settle(d, std::move(stack), PageStorage::contiguous, "ImageJ");

    add_imagej_size(d, entries, stack);
    return stack;
}

// Removes the axis of the samples of a pixel. @return whether the shape has it
bool remove_samples(const TiffDescription& d, std::vector<std::int64_t>& shape, std::string& axes) {
    const std::size_t from_last = d.sample_axis == SampleAxis::fastest ? 1 : 3;
    if (shape.size() < 3 || shape[shape.size() - from_last] != d.samples) return false;
    shape.erase(shape.end() - std::ptrdiff_t(from_last));
    axes.erase(axes.end() - std::ptrdiff_t(from_last));
    return true;
}

// Reads tifffile metadata: {"shape": [...], "axes": "..."}, slowest axis first, ending in y, x. Without axes, the axis before y is depth.
// The samples of a pixel are the last axis, or the axis before y.
PageStack read_shaped(const TiffDescription& d) {
    const auto json = nlohmann::json::parse(d.text, nullptr, false);
    if (!json.is_object() || !json.contains("shape") || !json["shape"].is_array()) return plain_stack(d);
    std::vector<std::int64_t> shape;
    for (const auto& size : json["shape"]) {
        if (!size.is_number_integer()) return plain_stack(d);
        shape.push_back(size.get<std::int64_t>());
    }
    std::string axes = json.contains("axes") && json["axes"].is_string() ? json["axes"].get<std::string>() : "";
    if (axes.size() != shape.size()) axes = std::string(shape.size(), 'Q');
    if (d.samples > 1 && !remove_samples(d, shape, axes)) return plain_stack(d);
    while (shape.size() > 2 && shape.back() == 1 && shape[shape.size() - 2] == d.nx)
        shape.pop_back(), axes.pop_back();  // removes a last axis of one sample
    if (shape.size() < 2 || shape.back() != d.nx || shape[shape.size() - 2] != d.ny) return plain_stack(d);

    PageStack stack;
    std::optional<std::size_t> depth;
    for (std::size_t i = shape.size() - 2; i-- > 0;) {
        const bool could_be_depth = axes[i] == 'Z' || (axes.find('Z') == std::string::npos && (axes[i] == 'Q' || axes[i] == 'I'));
        if (could_be_depth && !depth) depth = stack.axes.size();
        stack.axes.push_back({axes[i], shape[i]});
    }
    if (depth) stack.axes[*depth].name = 'Z';
    else stack.axes.push_back({'Z', 1});
    const bool truncated = json.contains("truncated") && json["truncated"] == true;  // tifffile writes this for a single directory
    return settle(d, std::move(stack), truncated ? PageStorage::contiguous : PageStorage::directory_each, "tifffile");
}

// Takes the size of pixels from the resolution. Most programs fill it with a value for screens or printers, so only pixels below 10 um
// (2540 per inch) count, which are those of microscopes, and above 0.01 nm. Without a unit, the resolution only states a shape of pixels.
void use_resolution(const TiffDescription& d, PageStack& stack) {
    constexpr double least_um = 1e-5, most_um = 10;
    if (!d.x_units_per_pixel || !d.y_units_per_pixel) return;
    const double x = *d.x_units_per_pixel, y = *d.y_units_per_pixel;
    if (!d.resolution_unit && x == y) return;
    const std::string unit(d.resolution_unit ? name_of(*d.resolution_unit) : "");
    if (d.resolution_unit) {
        const double x_um = converted(x, *d.resolution_unit, LengthUnit::um), y_um = converted(y, *d.resolution_unit, LengthUnit::um);
        if (std::min(x_um, y_um) < least_um || std::max(x_um, y_um) >= most_um) return;
        std::array<char, 80> size{};
        std::snprintf(size.data(), size.size(), "%.4g x %.4g um", x_um, y_um);
        stack.notes.push_back("states the size of pixels only by its resolution, which can be a default: " + std::string(size.data()));
    }
    stack.source = "the resolution";
    stack.size[0] = {x, unit}, stack.size[1] = {y, unit};
}

}  // namespace

std::int64_t PageStack::planes() const {
    std::int64_t product = 1;
    for (const PageAxis& axis : axes) product *= axis.size;
    return product;
}

std::int64_t PageStack::depth() const {
    for (const PageAxis& axis : axes)
        if (axis.name == 'Z') return axis.size;
    throw Error(ErrorKind::internal, "TIFF", "a stack of pages without depth");
}

PlanePlace PageStack::place(std::int64_t volume, std::int64_t z) const {
    std::int64_t plane = 0, stride = 1;
    for (const PageAxis& axis : axes) {
        plane += stride * (axis.name == 'Z' ? z : volume % axis.size);
        if (axis.name != 'Z') volume /= axis.size;
        stride *= axis.size;
    }
    return place_of_plane.empty() ? PlanePlace{0, plane} : place_of_plane[std::size_t(plane)];
}

PageStack read_page_stack(const TiffDescription& d) {
    if (d.text.starts_with("ImageJ=")) return read_imagej(d);
    PageStack stack = d.text.starts_with("{") ? read_shaped(d) : is_ome(d.text) ? read_ome_stack(d) : plain_stack(d);
    if (!stack.size[0] && !stack.size[1]) use_resolution(d, stack);
    return stack;
}

}  // namespace voxcc::io
