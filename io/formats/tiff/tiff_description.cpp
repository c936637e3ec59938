#include "io/formats/tiff/tiff_description.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace voxcc::io {
namespace {

template <class... Precision>
std::string text_of(double value, Precision... precision) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, precision...).ptr};
}

// As ImageJ names a unit. Nothing for an unknown unit: ImageJ then shows lengths without a unit.
std::string imagej_unit(const std::optional<LengthUnit>& unit) {
    if (!unit) return "";
    return unit == LengthUnit::um ? "micron" : std::string(name_of(*unit));
}

// As the schema of OME names a unit, as XML.
std::string ome_unit(const std::optional<LengthUnit>& unit) {
    if (!unit) return "reference frame";
    switch (*unit) {
        case LengthUnit::um: return "&#xB5;m";
        case LengthUnit::angstrom: return "&#xC5;";
        case LengthUnit::inch: return "in";
        case LengthUnit::foot: return "ft";
        case LengthUnit::yard: return "yd";
        case LengthUnit::mile: return "mi";
        case LengthUnit::mil: return "thou";
        default: return std::string(name_of(*unit));
    }
}

// The sizes of the axes of the volumes; 1 for an axis that the format does not have.
std::int64_t size_of_axis(const TiffFormat& format, std::string_view name) {
    const auto axis = std::ranges::find(format.volume_axes, name, &VolumeAxis::name);
    return axis == format.volume_axes.end() ? 1 : axis->size;
}

// ImageJ stretches a table of colours over the range, so a file with a table has no range. The pixels of ImageJ are unsigned: it adds 32768
// to the values of int16, and reads int8 as uint8.
std::string display_lines(const TiffFormat& format) {
    if (!format.display || format.display->min >= format.display->max || !format.colours.empty() || format.type == ScalarType::i8)
        return "";
    const double offset = format.type == ScalarType::i16 ? 32768 : 0;
    return "min=" + text_of(format.display->min + offset) + "\nmax=" + text_of(format.display->max + offset) + "\n";
}

// The metadata from which Fiji, tifffile and Bio-Formats read depth and spacing. ImageJ stores pages in the order C, Z, T.
std::string imagej_description(const TiffFormat& format, const std::string& path) {
    const std::int64_t frames = size_of_axis(format, "T");
    if (size_of_axis(format, "C") > 1)
        throw Error(ErrorKind::cannot_create, path, "ImageJ stores several channels inside a slice; write .ome.tif");
    std::string text = "ImageJ=1.54f\n";
    if (format.pages() > 1) text += "images=" + std::to_string(format.pages()) + "\n";
    if (format.extent.nz > 1) text += "slices=" + std::to_string(format.extent.nz) + "\n";
    if (frames > 1) text += "frames=" + std::to_string(frames) + "\nhyperstack=true\n";
    if (is_writable(format.spacing)) {
        if (const std::string unit = imagej_unit(format.unit); !unit.empty()) text += "unit=" + unit + "\n";
        text += "spacing=" + text_of((*format.spacing)[2]) + "\n";
    }
    return text + "loop=false\n" + display_lines(format);
}

std::string_view ome_type(ScalarType type, const std::string& path) {
    switch (type) {
        case ScalarType::u64:
        case ScalarType::i64: throw Error(ErrorKind::unsupported_label_type, path, "OME-TIFF has no 64-bit integers");
        case ScalarType::f32: return "float";
        case ScalarType::f64: return "double";
        default: return name_of(type);
    }
}

// The order of the axes of the pages, fastest first. Axes that the format does not have follow the others.
std::string dimension_order(const TiffFormat& format) {
    std::string order = "XYZ";
    for (const VolumeAxis& axis : format.volume_axes) order += axis.name;
    for (const char axis : {'C', 'T'})
        if (order.find(axis) == std::string::npos) order += axis;
    return order;
}

std::string attribute(const std::string& name, std::string_view value) { return " " + name + "=\"" + std::string(value) + "\""; }

std::string pixels_attributes(const TiffFormat& format, const std::string& path) {
    std::string pixels = attribute("ID", "Pixels:0") + attribute("DimensionOrder", dimension_order(format)) +
                         attribute("Type", ome_type(format.type, path)) +
                         attribute("BigEndian", std::endian::native == std::endian::big ? "true" : "false");
    const std::array<std::pair<const char*, std::int64_t>, 5> sizes{{{"SizeX", format.extent.nx},
                                                                     {"SizeY", format.extent.ny},
                                                                     {"SizeZ", format.extent.nz},
                                                                     {"SizeC", size_of_axis(format, "C")},
                                                                     {"SizeT", size_of_axis(format, "T")}}};
    for (const auto& [name, size] : sizes) pixels += attribute(name, std::to_string(size));
    if (!is_writable(format.spacing)) return pixels;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string name = std::string("PhysicalSize") + "XYZ"[axis];
        pixels += attribute(name, text_of((*format.spacing)[axis])) + attribute(name + "Unit", ome_unit(format.unit));
    }
    return pixels;
}

std::string ome_description(const TiffFormat& format, const std::string& path) {
    const std::string schema = "http://www.openmicroscopy.org/Schemas/OME/2016-06";
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OME" + attribute("xmlns", schema) +
                       attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance") +
                       attribute("xsi:schemaLocation", schema + " " + schema + "/ome.xsd") + attribute("Creator", software()) + "><Image" +
                       attribute("ID", "Image:0") + attribute("Name", format.content) + "><Pixels" + pixels_attributes(format, path) + ">";
    for (std::int64_t channel = 0; channel < size_of_axis(format, "C"); ++channel)
        text += "<Channel" + attribute("ID", "Channel:0:" + std::to_string(channel)) + attribute("Name", format.content) +
                attribute("SamplesPerPixel", "1") + "/>";
    return text + "<TiffData" + attribute("IFD", "0") + attribute("PlaneCount", std::to_string(format.pages())) +
           "/></Pixels></Image></OME>";
}

}  // namespace

std::string software() { return "voxcc " VOXCC_VERSION; }

bool is_writable(const std::optional<std::array<double, 3>>& spacing) {
    return spacing && std::ranges::all_of(*spacing, [](double step) { return step > 1e-8 && step < 1e8; });
}

std::string description_of(const TiffFormat& format, const std::string& path) {
    return format.metadata == TiffFormat::Metadata::ome ? ome_description(format, path) : imagej_description(format, path);
}

}  // namespace voxcc::io
