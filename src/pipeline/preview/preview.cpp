#include "src/pipeline/preview/preview.h"

#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/preview/panel.h"
#include "src/pipeline/preview/scale_bar.h"

#include <filesystem>

namespace voxcc::preview {
namespace {

constexpr Colour background{24, 26, 32}, text_colour{235, 235, 235};

/// The lengths of the steps along i, j, k, in `unit`.
struct Steps {
    Spacing spacing{1, 1, 1};
    Unit unit = Unit::voxels;
};

Steps steps_of(const io::VolumeInfo& info) {
    const auto spacing = spacing_of(info);
    const auto usable = [](double step) { return step >= 1e-12 && step <= 1e12; };  // mm; quotients of these numbers are finite
    return spacing && std::ranges::all_of(*spacing, usable) ? Steps{*spacing, Unit::mm} : Steps{};
}

std::vector<Projection> project(const Source& source, const std::vector<View>& views, const Layout& layout, ProgressBar& progress) {
    const io::VolumeInfo& info = source.image.info();
    const Extent& extent = info.extent;
    std::vector<Projection> projections;
    for (std::size_t i = 0; i < views.size(); ++i)
        projections.emplace_back(views[i], extent, layout.panels[i].width, layout.panels[i].height);
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    std::vector<double> brightness(labels.size());
    RowStream rows(source.image);
    for (std::int64_t r = 0; r < extent.rows(); ++r) {
        source.painter.paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::cached);
        brightness_of_row(info, rows.next(), brightness);
        for (Projection& projection : projections) projection.add_row(r % extent.ny, r / extent.ny, labels, brightness);
        if (r % 1024 == 0) progress.update("preview", r, extent.rows());
    }
    return projections;
}

std::vector<std::string> notes_on(const Views& views) {
    if (views.axes == Views::Axes::stored) return {"No orientation in the file:", "i, j, k are the stored axes"};
    if (views.show_left_and_right()) return {"Radiological convention:", "patient's right is on the left"};
    return {};
}

/// Name, number of components, scale bar and notes, one below the other.
void draw_caption(const Source& source, const Views& views, const ScaleBar& bar, const Box& box, Canvas& canvas) {
    const std::int64_t left = box.left + margin, width = box.width - 2 * margin;
    std::int64_t top = box.top + (line_height - letter_height) / 2;
    const auto line = [&](const std::string& text) {
        canvas.text(left, top, shortened(drawable(text), width), text_colour);
        top += line_height;
    };
    line(std::filesystem::path(source.image.info().path).filename().string());
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
    const std::vector<Projection> projections = project(source, views.list, layout, progress);
    const Window window = window_of(projections);
    Canvas canvas(layout.width, layout.height, background);
    for (std::size_t i = 0; i < projections.size(); ++i) {
        draw_projection(projections[i], window, steps.spacing, layout.panels[i], canvas);
        draw_letters(views.list[i], layout.panels[i], canvas);
    }
    draw_caption(source, views, scale_bar(layout.pixels_per_unit, steps.unit), layout.caption, canvas);
    io::write_png(canvas.picture(), file);
}

std::int64_t memory_bytes(const io::VolumeInfo& info) {
    const Layout layout = layout_of(views_of(info.extent, usable_affine(info)).list, info.extent, steps_of(info).spacing);
    std::int64_t pixels = 0;
    for (const Box& panel : layout.panels) pixels += panel.width * panel.height;
    constexpr auto bytes_per_value = std::int64_t(2 * sizeof(double));  // a vector that grows has up to twice the memory that it needs
    return pixels * (Projection::bytes_per_cell + bytes_per_value) + layout.width * layout.height * std::int64_t(sizeof(Colour)) +
           info.extent.nx * std::int64_t(sizeof(std::uint64_t) + sizeof(double));
}

}  // namespace voxcc::preview
