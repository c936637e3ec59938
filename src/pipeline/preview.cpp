#include "src/pipeline/preview.h"

#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/middle_voxel.h"
#include "src/pipeline/preview/caption.h"
#include "src/pipeline/preview/outlines.h"
#include "src/pipeline/preview/panel.h"
#include "src/pipeline/preview/plane.h"
#include "src/pipeline/preview/scale_bar.h"
#include "src/pipeline/preview/sheet.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace voxcc::preview {
namespace {

using namespace std::string_view_literals;

/// The lengths of the steps along i, j, k, in `unit`.
struct Steps {
    Spacing spacing{1, 1, 1};
    Unit unit = Unit::voxels;
};

Steps steps_of(const io::VolumeInfo& info) {
    auto spacing = spacing_of(info);
    if (!spacing) return {};
    if (info.geometry.unit)
        for (double& step : *spacing) step = io::converted(step, *info.geometry.unit, io::LengthUnit::mm);
    const auto usable = [](double step) { return step >= 1e-12 && step <= 1e12; };  // quotients of these numbers are finite
    if (!std::ranges::all_of(*spacing, usable)) return {};
    return {*spacing, info.geometry.unit ? Unit::mm : Unit::unknown};
}

/// The arrangement of a picture.
struct Frame {
    Views views;
    Steps steps;
    Layout layout;
    std::int64_t margin = preview::margin;
};

enum class Form : std::uint8_t { projections, planes };

Form form_of(const Source& source) { return source.cut ? Form::planes : Form::projections; }

Frame frame_of(const io::VolumeInfo& info, Form form) {
    Frame frame{views_of(info.extent, usable_affine(info)), steps_of(info), {}};
    const std::int64_t lines = form == Form::planes ? lines_over_planes : lines_over_projections;
    frame.layout = layout_of(frame.views.list, info.extent, frame.steps.spacing, caption_of(lines));
    return frame;
}

/// The views are in the middle of the tile above its text.
Frame frame_of_tile(const io::VolumeInfo& info) {
    Frame frame{views_of(info.extent, usable_affine(info)), steps_of(info), {}, limits_of_tile.margin};
    Layout& layout = frame.layout;
    layout = layout_of(frame.views.list, info.extent, frame.steps.spacing, {0, 0, tile_width, tile_caption_height}, limits_of_tile);
    for (Box& panel : layout.panels) panel.top += (tile_height - layout.height) / 2;
    return frame;
}

/// @tparam View Projection or Plane
template <class View>
void add_labels(const Painter& painter, const Extent& extent, std::vector<View>& views, ProgressBar& progress) {
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t r = 0; r < extent.rows(); ++r) {
        painter.paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        if (r % 1024 == 0) progress.update("preview", r, extent.rows());
        // Saves a third of the time if most rows are background.
        if (std::ranges::all_of(labels, [](std::uint64_t label) { return label == 0; })) continue;
        for (View& view : views) view.add_labels(r % extent.ny, r / extent.ny, labels);
    }
}

template <class View>
void add_values(io::VolumeReader& image, std::vector<View>& views) {
    const io::VolumeInfo& info = image.info();
    std::vector<double> brightness;
    for_each_row_part(image, [&](const io::RowPart& part) {
        brightness.resize(std::size_t(part.count));
        brightness_of(info, part.voxels, brightness);
        for (View& view : views) view.add_values(part.x, part.row % info.extent.ny, part.row / info.extent.ny, brightness);
    });
}

/// The name of a file or folder, without the folders that contain it.
// "data/brain.nii.gz" -> "brain.nii.gz", "slices/" -> "slices"
std::string name_of(const std::filesystem::path& path) { return (path.has_filename() ? path : path.parent_path()).filename().string(); }

Caption caption_for(const Source& source, const Frame& frame) {
    Caption caption{{name_of(source.info.path)}, scale_bar(frame.layout.pixels_per_unit, frame.steps.unit), {}};
    const std::string number = source.volume ? "volume " + std::to_string(*source.volume) + ": " : "";
    caption.above.push_back(number + counted(source.components, "component"));
    return caption;
}

/// @return the text of the picture
Caption draw_projections(const Source& source, const Frame& frame, ProgressBar& progress, Canvas& canvas) {
    const std::vector<Box>& panels = frame.layout.panels;
    std::vector<Projection> projections;
    for (std::size_t i = 0; i < panels.size(); ++i)
        projections.emplace_back(frame.views.list[i], source.info.extent, panels[i].width, panels[i].height);
    add_labels(source.painter, source.info.extent, projections, progress);
    add_values(source.image, projections);
    std::vector<std::span<const double>> values;
    for (const Projection& projection : projections) values.push_back(projection.values());
    const Window window = window_of(values);
    for (std::size_t i = 0; i < panels.size(); ++i) draw_projection(projections[i], window, frame.steps.spacing, panels[i], canvas);
    Caption caption = caption_for(source, frame);
    add_notes(frame.views, caption);
    return caption;
}

/// The voxel that is in all planes. It belongs to the largest component. Without components, it is the middle of the volume.
VoxelIndex voxel_of_planes(const Source& source, const Frame& frame, ProgressBar& progress) {
    const Extent& extent = source.info.extent;
    if (source.cut->empty()) return {extent.nx / 2, extent.ny / 2, extent.nz / 2};
    return middle_voxel(source.painter, extent, *source.cut, frame.steps.spacing, progress);
}

/// The position of each plane along the axis across it, with its unit.
// "-12.5 mm"; without an affine the index of the plane
std::vector<std::string> positions_of(const io::VolumeInfo& info, const Frame& frame, const VoxelIndex& voxel) {
    const auto world = frame.views.axes == Views::Axes::anatomical ? stated_world(info) : std::nullopt;
    std::vector<std::string> positions;
    for (const View& view : frame.views.list) {
        const std::size_t stored = view.away.stored;
        if (!world) positions.push_back(std::to_string(voxel[stored]));
        else {
            const auto xyz = world_position(*world, {double(voxel[0]), double(voxel[1]), double(voxel[2])});
            const auto& to_world = world->affine;
            const double step = std::hypot(to_world[0][stored], to_world[1][stored], to_world[2][stored]);
            positions.push_back(rounded(xyz["xyz"sv.find(view.across)], step) + " " + stated_unit(info));
        }
    }
    return positions;
}

/// @return the text of the picture
Caption draw_planes(const Source& source, const Frame& frame, ProgressBar& progress, Canvas& canvas) {
    const std::vector<Box>& panels = frame.layout.panels;
    const std::vector<View>& views = frame.views.list;
    const VoxelIndex voxel = voxel_of_planes(source, frame, progress);
    std::vector<Plane> planes;
    for (std::size_t i = 0; i < panels.size(); ++i)
        planes.emplace_back(views[i], source.info.extent, voxel[views[i].away.stored], panels[i].width, panels[i].height);
    add_labels(source.painter, source.info.extent, planes, progress);
    add_values(source.image, planes);
    std::vector<std::span<const double>> values;
    for (const Plane& plane : planes) values.push_back(plane.projection().values());
    const Window window = window_of(values);
    for (std::size_t i = 0; i < panels.size(); ++i) {
        draw_outlines(planes[i].projection(), window, panels[i], canvas);
        draw_numbers(planes[i].projection(), source.cut->labels, panels[i], canvas);
    }
    Caption caption = caption_for(source, frame);
    caption.above.push_back("over " + name_of(source.image.info().path));
    caption.below.push_back(source.cut->empty() ? "planes through the middle:"
                                                : "planes through component " + std::to_string(source.cut->labels.front()) + ":");
    const std::vector<std::string> positions = positions_of(source.info, frame, voxel);
    for (std::size_t i = 0; i < views.size(); ++i)
        caption.below.push_back(std::string(views[i].name) + ": " + std::string(views[i].across) + " = " + positions[i]);
    add_notes(frame.views, caption);
    return caption;
}

/// Draws the views with their letters. @return the text of the picture
Caption draw_views(const Source& source, const Frame& frame, ProgressBar& progress, Canvas& canvas) {
    Caption caption =
        form_of(source) == Form::planes ? draw_planes(source, frame, progress, canvas) : draw_projections(source, frame, progress, canvas);
    for (std::size_t i = 0; i < frame.layout.panels.size(); ++i)
        draw_letters(frame.views.list[i], frame.layout.panels[i], frame.margin, canvas);
    return caption;
}

}  // namespace

void write(const Source& source, ProgressBar& progress, io::OutputFile& file) {
    const Frame frame = frame_of(source.info, form_of(source));
    Canvas canvas(frame.layout.width, frame.layout.height, background_colour);
    draw_caption(draw_views(source, frame, progress, canvas), frame.layout.caption, canvas);
    io::write_png(canvas.picture(), file);
}

PackedPicture draw_tile(const Source& source, ProgressBar& progress) {
    Canvas canvas(tile_width, tile_height, background_colour);
    draw_views(source, frame_of_tile(source.info), progress, canvas);
    return PackedPicture(canvas.picture());
}

std::int64_t memory_bytes(const io::VolumeReader& image, const io::VolumeReader* background) {
    const io::VolumeInfo& info = image.info();
    const Layout layout = frame_of(info, background ? Form::planes : Form::projections).layout;
    std::int64_t pixels = 0;
    for (const Box& panel : layout.panels) pixels += panel.width * panel.height;
    constexpr auto bytes_per_value = std::int64_t(2 * sizeof(double));  // a vector that grows has up to twice the memory that it needs
    return pixels * (Projection::bytes_per_cell + bytes_per_value) + layout.width * layout.height * std::int64_t(sizeof(Colour)) +
           info.extent.nx * std::int64_t(sizeof(std::uint64_t) + sizeof(double)) + bytes_per_row_part(background ? *background : image);
}

}  // namespace voxcc::preview
