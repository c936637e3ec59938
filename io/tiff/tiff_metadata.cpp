#include "io/tiff/tiff_metadata.h"

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

// Reads ImageJ metadata: 1/XResolution, 1/YResolution and `spacing` are lengths in `unit`. Pages are in the order XYCZT.
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

    const auto unit = entries.find("unit"), z_unit = entries.find("zunit");
    if (unit == entries.end()) return stack;
    stack.unit = length_unit(unit->second);
    if (d.x_units_per_pixel) stack.spacing[0] = millimetres(*d.x_units_per_pixel, unit->second);
    if (d.y_units_per_pixel) stack.spacing[1] = millimetres(*d.y_units_per_pixel, unit->second);
    // ImageJ omits a spacing of 1 in stacks.
    auto spacing = number<double>(entries, "spacing");
    if (!spacing && stack.depth() > 1) spacing = 1;
    if (spacing && std::isfinite(*spacing) && *spacing > 0)
        stack.spacing[2] = millimetres(*spacing, (z_unit == entries.end() ? unit : z_unit)->second);
    else if (spacing) stack.warnings.push_back("ImageJ metadata give a distance of slices that is not positive; it is ignored");
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
// (2540 per inch) count, which are those of microscopes, and above 0.01 nm.
void use_resolution(const TiffDescription& d, PageStack& stack) {
    constexpr double least_mm = 1e-8, most_mm = 0.01, um_per_mm = 1000;
    if (!d.resolution_unit || !d.x_units_per_pixel || !d.y_units_per_pixel) return;
    const double x = in_millimetres(*d.x_units_per_pixel, *d.resolution_unit), y = in_millimetres(*d.y_units_per_pixel, *d.resolution_unit);
    if (std::min(x, y) < least_mm || std::max(x, y) >= most_mm) return;
    stack.spacing[0] = x, stack.spacing[1] = y;
    std::array<char, 80> size{};
    std::snprintf(size.data(), size.size(), "%.4g x %.4g um", x * um_per_mm, y * um_per_mm);
    stack.warnings.push_back("states the size of pixels only by its resolution, which can be a default: " + std::string(size.data()));
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

std::optional<double> millimetres(double length, std::string_view unit) {
    const auto known = length_unit(unit);
    return known ? std::optional(in_millimetres(length, *known)) : std::nullopt;
}

PageStack read_page_stack(const TiffDescription& d) {
    if (d.text.starts_with("ImageJ=")) return read_imagej(d);
    PageStack stack = d.text.starts_with("{") ? read_shaped(d) : is_ome(d.text) ? read_ome_stack(d) : plain_stack(d);
    if (!stack.spacing[0] && !stack.spacing[1]) use_resolution(d, stack);
    return stack;
}

}  // namespace voxcc::io
