#include "io/formats/tiff/tiff_info.h"

#include "io/formats/tiff/tiff_codecs.h"
#include "io/formats/tiff/tiff_native.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace voxcc::io {
namespace {

// An axis C of one position gives way to the samples of a pixel.
std::vector<VolumeAxis> axes_of(const TiffPages& pages) {
    const std::int64_t samples = pages.first.samples.per_pixel;
    const bool has_channels = std::ranges::any_of(pages.stack.axes, [](const PageAxis& a) { return a.name == 'C' && a.size > 1; });
    std::vector<VolumeAxis> axes;
    if (samples > 1) axes.push_back({has_channels ? "S" : "C", samples});
    for (const PageAxis& axis : pages.stack.axes)
        if (samples == 1 || axis.name != 'C' || axis.size > 1) axes.push_back({std::string(1, axis.name), axis.size});
    // An image of colours has one element Channel in the OME-XML, which names no sample.
    const bool names_colours = samples > 1 && !has_channels && pages.stack.channel_names.size() == 1;
    const auto channels = std::ranges::find(axes, "C", &VolumeAxis::name);
    if (channels != axes.end() && !names_colours) *channels = with_names(std::move(*channels), pages.stack.channel_names);
    return axes;
}

// A 2D image has no step across its slice.
Geometry geometry_of(const PageStack& stack) {
    Geometry geometry{.notes = stack.notes};
    const auto& [x, y, z] = stack.size;
    if (!x && !y && !z) return geometry;
    if (!x || !y) geometry.notes.emplace_back("does not state the size of pixels along x and y");
    else if (!z && stack.depth() > 1) geometry.notes.emplace_back("states the size of pixels but not the distance of slices");
    std::vector<std::string> texts;
    for (const auto& stated : stack.size)
        if (stated) texts.push_back(stated->unit);
    const AxisUnits units = units_of_axes(texts);
    if (!units.are_comparable) {
        geometry.notes.push_back(note_on_units(stack.source, texts));
        return geometry;
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    geometry.spacing = {unknown, unknown, stack.depth() == 1 ? 1 : unknown};
    std::size_t known = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (stack.size[axis]) (*geometry.spacing)[axis] = units.in_common_unit(stack.size[axis]->length, known++);
    geometry.unit = units.common();
    geometry.source = stack.source;
    return geometry;
}

// As for chunks of Zarr arrays.
void add_missing(const TiffPages& pages, MissingChunks missing, VolumeInfo& info) {
    if (pages.missing == 0) return;
    const std::string kind = pages.first.layout == TiffLayout::tiles ? "tiles" : "strips";
    const std::string count = std::to_string(pages.missing) + " of " + std::to_string(pages.chunks) + " " + kind + " are not stored";
    if (missing == MissingChunks::refuse) throw Error(ErrorKind::invalid_file, info.path, count);
    info.warnings.push_back(count + "; their pixels are 0");
}

}  // namespace

VolumeInfo info_of_tiff(const TiffHandle& tiff, const TiffPages& pages, MissingChunks missing) {
    VolumeInfo info;
    const TiffPage& page = pages.first;
    info.path = tiff.file().path();
    info.format = TIFFIsBigTIFF(tiff.get()) ? "BigTIFF" : "TIFF";
    info.compression = compression_name(page.compression);
    info.extent = {page.samples.nx, page.samples.ny, pages.stack.depth()};
    info.type = page.samples.type();
    info.stored_type = page.samples.stored_type();
    info.dimensions = pages.stack.depth() == 1 ? 2 : 3;
    info.page_axes = axes_of(pages);
    for (const VolumeAxis& axis : info.page_axes) {
        if (axis.name == "Z" || axis.size == 1) continue;
        info.volume_axes.push_back(axis);
        info.volumes *= axis.size;
    }
    info.warnings = pages.stack.warnings;
    info.warnings.insert(info.warnings.end(), pages.warnings.begin(), pages.warnings.end());
    add_missing(pages, missing, info);
    if (pages.unused_bytes > 0) info.warnings.push_back(ignored_bytes(pages.unused_bytes, "the end of the TIFF data"));
    info.geometry = geometry_of(pages.stack);
    checked_bytes(info.extent, size_of(info.type), info.path);
    if (page.compression == COMPRESSION_JPEG)
        info.warnings.push_back("is compressed with JPEG, which changes values; thresholds and borders are not exact");
    if (page.samples.photometric == PHOTOMETRIC_MINISWHITE)
        info.warnings.push_back("0 is white in this file (WhiteIsZero); values are taken as they are stored");
    if (page.orientation != ORIENTATION_TOPLEFT)
        info.warnings.push_back("has a tag that turns it for display (orientation " + std::to_string(page.orientation) +
                                "); rows are taken as they are stored");
    auto native = std::make_shared<TiffNative>();
    native->states_slice_distance = pages.stack.size[2].has_value();
    info.native = std::move(native);
    return info;
}

std::string volumes_text(const VolumeInfo& info) {
    std::string kinds, choice;
    for (const VolumeAxis& axis : info.volume_axes) {
        const char* kind = axis.name == "C" ? "channels" : axis.name == "T" ? "time points" : axis.name == "S" ? "samples" : "along axis";
        const std::string names = listed_names(axis.positions);
        kinds += (kinds.empty() ? ": " : ", ") + std::to_string(axis.size) + " " + kind + " (" + axis.name +
                 (names.empty() ? "" : ": " + names) + ")";
        choice += (choice.empty() ? "" : ",") + std::string(1, char(std::tolower(static_cast<unsigned char>(axis.name[0])))) + "=0";
    }
    if (choice.empty()) return kinds;
    kinds += ", chosen as in [" + choice + "]";
    return info.volume_axes.size() > 1 ? kinds + ", in the order N = " + volume_order(info.volume_axes) : kinds;
}

}  // namespace voxcc::io
