// The picture of several volumes: one tile per volume, in rows and columns.
#pragma once
#include "src/pipeline/preview/layout.h"
#include "src/pipeline/preview/packed_picture.h"
#include "src/pipeline/preview/palette.h"

#include <optional>
#include <span>
#include <string>

namespace voxcc::preview {

constexpr Colour background_colour{24, 26, 32};  // of all pictures

// A tile: the views above two lines of text.
constexpr std::int64_t tile_width = 640, tile_height = 480;
constexpr std::int64_t tile_caption_height = 2 * line_height + 12;

/// The views are small, so they use all space: the scale must be a whole number only if the steps are clearly visible.
constexpr ViewLimits limits_of_tile{.width = tile_width, .height = tile_height, .margin = 26, .least_whole_scale = 4};

constexpr std::size_t tiles_per_sheet = 100;  // 6400 x 4800 pixels

/// The compressed bytes of a tile of grey noise. Most tiles need less.
constexpr std::int64_t bytes_per_tile = 320'000;

/// The memory of tiles, and of writing them into files. @param tiles that exist at the same time
std::int64_t bytes_of_tiles(std::size_t tiles);

/// A tile without its text.
struct Tile {
    std::string name;                      // of the volume
    std::optional<PackedPicture> picture;  // tile_width x tile_height; empty: the input has failed
    std::uint64_t components = 0;
};

/// The numbers of columns and rows of a sheet. As a tile has the proportion 4:3, the sheet has it, too, or is one row lower.
// 7 -> {3, 3}, 12 -> {4, 3}
struct SheetGrid {
    std::int64_t columns, rows;
};
SheetGrid grid_of_sheet(std::size_t tiles);

/// The files of a batch with `tiles` tiles: one file per tiles_per_sheet.
// "a/sheet.png", 250 -> "a/sheet.png", "a/sheet_2.png", "a/sheet_3.png"
std::vector<std::string> sheet_names(const std::string& path, std::size_t tiles);

/// The name of one of these files. @param number from 1 on
std::string sheet_name(const std::string& path, std::size_t number);

/// Draws the tiles from left to right and from top to bottom, with their texts, and writes and closes the file.
/// @param tiles at least one, at most tiles_per_sheet @throw the exceptions of io::write_png()
void write_sheet(std::span<const Tile> tiles, io::OutputFile& file);

}  // namespace voxcc::preview
