#include "src/pipeline/preview.h"

#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/preview/panel.h"
#include "src/pipeline/preview/scale_bar.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::preview {
namespace {

constexpr Colour background{24, 26, 32};

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

void add_labels(const Painter& painter, const Extent& extent, std::vector<Projection>& projections, ProgressBar& progress) {
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t r = 0; r < extent.rows(); ++r) {
        painter.paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        if (r % 1024 == 0) progress.update("preview", r, extent.rows());
        // Saves a third of the time if most rows are background.
        if (std::ranges::all_of(labels, [](std::uint64_t label) { return label == 0; })) continue;
        for (Projection& projection : projections) projection.add_labels(r % extent.ny, r / extent.ny, labels);
    }
}

void add_values(io::VolumeReader& image, std::vector<Projection>& projections) {
    const io::VolumeInfo& info = image.info();
    std::vector<double> brightness;
    for_each_row_part(image, [&](const io::RowPart& part) {
        brightness.resize(std::size_t(part.count));
        brightness_of(info, part.voxels, brightness);
        for (Projection& projection : projections)
            projection.add_values(part.x, part.row % info.extent.ny, part.row / info.extent.ny, brightness);
    });
}

std::vector<std::string> notes_on(const Views& views) {
    if (views.axes == Views::Axes::stored) return {"No orientation in the file:", "i, j, k are the stored axes"};
    if (views.show_left_and_right()) return {"Radiological convention:", "patient's right is on the left"};
    return {};
}

/// The name of a file or folder, without the folders that contain it.
// "data/brain.nii.gz" -> "brain.nii.gz", "slices/" -> "slices"
std::string name_of(const std::filesystem::path& path) { return (path.has_filename() ? path : path.parent_path()).filename().string(); }

/// Name, number of components, scale bar and notes, one below the other.
void draw_caption(const Source& source, const Views& views, const ScaleBar& bar, const Box& box, Canvas& canvas) {
    const std::int64_t left = box.left + margin, width = box.width - 2 * margin;
    std::int64_t top = box.top + (line_height - letter_height) / 2;
    const auto line = [&](const std::string& text) {
        canvas.text(left, top, shortened(drawable(text), width), text_colour);
        top += line_height;
    };
    line(name_of(source.image.info().path));
    line((source.volume ? "volume " + std::to_string(*source.volume) + ": " : "") + counted(source.components, "component"));
    canvas.fill({left, top + letter_height / 2 - 2, bar.pixels, 4}, text_colour);
    for (const std::int64_t end : {left, left + bar.pixels - 2}) canvas.fill({end, top, 2, letter_height}, text_colour);
    canvas.text(left + bar.pixels + 10, top, bar.text, text_colour);
    top += line_height;
    for (const std::string& note : notes_on(views)) line(note);
}

}  // namespace

void write(const Source& source, ProgressBar& progress, io::OutputFile& file) {
    const io::VolumeInfo& info = source.image.info();
    const Views views = views_of(info.extent, usable_affine(info));
    const Steps steps = steps_of(info);
    const Layout layout = layout_of(views.list, info.extent, steps.spacing);
    std::vector<Projection> projections;
    for (std::size_t i = 0; i < layout.panels.size(); ++i)
        projections.emplace_back(views.list[i], info.extent, layout.panels[i].width, layout.panels[i].height);
    add_labels(source.painter, info.extent, projections, progress);
    add_values(source.image, projections);
    const Window window = window_of(projections);
    Canvas canvas(layout.width, layout.height, background);
    for (std::size_t i = 0; i < projections.size(); ++i) {
        draw_projection(projections[i], window, steps.spacing, layout.panels[i], canvas);
        draw_letters(views.list[i], layout.panels[i], canvas);
    }
    draw_caption(source, views, scale_bar(layout.pixels_per_unit, steps.unit), layout.caption, canvas);
    io::write_png(canvas.picture(), file);
}

std::int64_t memory_bytes(const io::VolumeReader& image) {
    const io::VolumeInfo& info = image.info();
    const Layout layout = layout_of(views_of(info.extent, usable_affine(info)).list, info.extent, steps_of(info).spacing);
    std::int64_t pixels = 0;
    for (const Box& panel : layout.panels) pixels += panel.width * panel.height;
    constexpr auto bytes_per_value = std::int64_t(2 * sizeof(double));  // a vector that grows has up to twice the memory that it needs
    return pixels * (Projection::bytes_per_cell + bytes_per_value) + layout.width * layout.height * std::int64_t(sizeof(Colour)) +
           info.extent.nx * std::int64_t(sizeof(std::uint64_t) + sizeof(double)) + bytes_per_row_part(image);
}

}  // namespace voxcc::preview
