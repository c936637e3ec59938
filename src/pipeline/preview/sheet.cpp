#include "src/pipeline/preview/sheet.h"

#include "src/messages/report.h"
#include "src/pipeline/preview/canvas.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::preview {
namespace {

constexpr Colour frame_colour{64, 68, 78};
constexpr Colour failed_colour{255, 150, 90};

void draw_frame(const Box& box, Canvas& canvas) {
    const auto& [left, top, width, height] = box;
    for (const Box& line :
         {Box{left, top, width, 1}, {left, top + height - 1, width, 1}, {left, top, 1, height}, {left + width - 1, top, 1, height}})
        canvas.fill(line, frame_colour);
}

void draw_tile(const Tile& tile, std::int64_t left, Canvas& canvas) {
    if (tile.picture) canvas.draw(left, 0, tile.picture->unpacked());
    draw_frame({left, 0, tile_width, tile_height}, canvas);
    const std::int64_t text_left = left + margin / 2, width = tile_width - margin;
    std::int64_t top = tile_height - tile_caption_height + (line_height - letter_height) / 2;
    canvas.text(text_left, top, shortened(drawable(tile.name), width), text_colour);
    top += line_height;
    if (tile.picture) canvas.text(text_left, top, counted(tile.components, "component"), text_colour);
    else canvas.text(text_left, top, "failed", failed_colour);
}

}  // namespace

SheetGrid grid_of_sheet(std::size_t tiles) {
    std::int64_t columns = 1;
    while (std::size_t(columns * columns) < tiles) ++columns;
    return {columns, (std::int64_t(tiles) + columns - 1) / columns};
}

std::int64_t bytes_of_tiles(std::size_t tiles) {
    if (tiles == 0) return 0;
    const std::int64_t columns = grid_of_sheet(std::min(tiles, tiles_per_sheet)).columns;
    const std::int64_t drawn = columns + 2;  // a row of tiles, and the picture of one tile in two forms
    return std::int64_t(tiles) * bytes_per_tile + drawn * tile_width * tile_height * std::int64_t(sizeof(Colour));
}

std::string sheet_name(const std::string& path, std::size_t number) {
    if (number == 1) return path;
    const std::filesystem::path file(path);
    return (file.parent_path() / (file.stem().string() + "_" + std::to_string(number) + file.extension().string())).string();
}

std::vector<std::string> sheet_names(const std::string& path, std::size_t tiles) {
    std::vector<std::string> names;
    for (std::size_t number = 1; number == 1 || (number - 1) * tiles_per_sheet < tiles; ++number) names.push_back(sheet_name(path, number));
    return names;
}

void write_sheet(std::span<const Tile> tiles, io::OutputFile& file) {
    const SheetGrid grid = grid_of_sheet(tiles.size());
    const std::int64_t columns = grid.columns;
    Canvas canvas(columns * tile_width, tile_height, background_colour);  // of one row of tiles
    const auto draw_row = [&](std::int64_t row) {
        canvas.fill({0, 0, columns * tile_width, tile_height}, background_colour);
        const std::size_t first = std::size_t(row * columns), end = std::min(tiles.size(), first + std::size_t(columns));
        for (std::size_t i = first; i < end; ++i) draw_tile(tiles[i], std::int64_t(i - first) * tile_width, canvas);
    };
    const auto pixels = [&](std::int64_t y) {
        if (y % tile_height == 0) draw_row(y / tile_height);
        return canvas.picture().pixels.data() + y % tile_height * columns * tile_width;
    };
    io::write_png(columns * tile_width, grid.rows * tile_height, pixels, file);
}

}  // namespace voxcc::preview
