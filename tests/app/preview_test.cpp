// The parts of a preview: orientation of the views, sizes, scale bar, text and brightness. tests/python/test_preview.py tests pictures.
#include "src/pipeline/preview/brightness.h"
#include "src/pipeline/preview/canvas.h"
#include "src/pipeline/preview/caption.h"
#include "src/pipeline/preview/layout.h"
#include "src/pipeline/preview/packed_picture.h"
#include "src/pipeline/preview/panel.h"
#include "src/pipeline/preview/scale_bar.h"
#include "src/pipeline/preview/sheet.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace voxcc;
using namespace voxcc::preview;

namespace {

using Direction = ViewAxis::Direction;

/// The letters at the left, right, upper and lower edge, and the letters of the nearest and farthest side.
std::string letters(const View& v) {
    std::string text;
    for (const std::string_view letter : {v.right.first, v.right.last, v.down.first, v.down.last, v.away.first, v.away.last})
        text += letter;
    return text;
}

io::Affine diagonal(double x, double y, double z) { return {{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}}}; }

constexpr Extent cube{10, 10, 10};

}  // namespace

TEST_CASE("preview: superior and anterior are up, and the patient's right is on the left") {
    for (const io::Affine& affine : {diagonal(1, 1, 1), diagonal(-1, -1, 1), diagonal(1, -2, -3)}) {
        const Views views = views_of(cube, affine);
        CHECK(views.axes == Views::Axes::anatomical);
        REQUIRE(views.list.size() == 3);
        CHECK(letters(views.list[0]) == "RLSIAP");  // coronal, from the front
        CHECK(letters(views.list[1]) == "APSILR");  // sagittal, from the left
        CHECK(letters(views.list[2]) == "RLAPIS");  // axial, from below
        CHECK(views.show_left_and_right());
    }
}

TEST_CASE("preview: the stored axes are those nearest to the anatomical axes") {
    // i runs to anterior, j to inferior, k to the right; rotated by 30 degrees about x.
    const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
    const io::Affine affine{{{0, 0, 2, 5}, {c, s, 0, -7}, {s, -c, 0, 9}}};
    const View coronal = views_of(cube, affine).list[0];
    CHECK(letters(coronal) == "RLSIAP");
    CHECK(coronal.right.stored == 2);
    CHECK(coronal.right.direction == Direction::descending);
    CHECK(coronal.down.stored == 1);
    CHECK(coronal.down.direction == Direction::ascending);
    CHECK(coronal.away.stored == 0);
    CHECK(coronal.away.direction == Direction::descending);
    CHECK(coronal.right.position(1, 10) == 8);
    CHECK(coronal.down.position(1, 10) == 1);
}

TEST_CASE("preview: without an affine, the letters name the stored axes") {
    const Views views = views_of(cube, std::nullopt);
    CHECK(views.axes == Views::Axes::stored);
    REQUIRE(views.list.size() == 3);
    CHECK(letters(views.list[0]) == "-i+i-j+j-k+k");
    CHECK(letters(views.list[1]) == "-k+k-j+j+i-i");
    CHECK(letters(views.list[2]) == "-i+i-k+k+j-j");
    CHECK_FALSE(views.show_left_and_right());
}

TEST_CASE("preview: an image of one slice has one view") {
    CHECK(letters(views_of({5, 4, 1}, std::nullopt).list.at(0)) == "-i+i-j+j-k+k");
    CHECK(letters(views_of({5, 4, 1}, diagonal(-1, -1, 1)).list.at(0)) == "RLAPIS");
    CHECK(letters(views_of({1, 4, 5}, diagonal(1, 1, 1)).list.at(0)) == "APSILR");
    CHECK_FALSE(views_of({1, 4, 5}, diagonal(1, 1, 1)).show_left_and_right());
    for (const Extent& e : {Extent{5, 4, 1}, {5, 1, 4}, {1, 5, 4}, {5, 1, 1}, {1, 1, 5}, {1, 1, 1}})
        CHECK(views_of(e, std::nullopt).list.size() == 1);
}

TEST_CASE("preview: a picture has at most 1200 pixels per edge, and its panels and caption do not overlap") {
    for (const auto& [extent, spacing] : {std::pair(Extent{1, 1, 1}, std::array<double, 3>{1, 1, 1}),
                                          {{10, 12, 14}, {1, 1, 1}},
                                          {{512, 512, 20}, {0.7, 0.7, 5}},
                                          {{256, 256, 25}, {0.78, 0.78, 6.5}},
                                          {{3000, 20, 20}, {1, 1, 1}},
                                          {{2, 3, 5000}, {1e-3, 1e-3, 1e3}},
                                          {{2048, 2048, 2048}, {4e-6, 4e-6, 4e-6}},
                                          {{5000, 3000, 1}, {1, 1, 1}},
                                          {{4000000000, 1, 1}, {1e12, 1e-12, 1}}}) {
        const Layout layout = layout_of(views_of(extent, std::nullopt).list, extent, spacing, caption_of(5));
        CAPTURE(extent.nx);
        CHECK(layout.width <= largest_edge);
        CHECK(layout.height <= largest_edge);
        CHECK(layout.caption.width >= caption_of(5).width);
        CHECK(layout.caption.height >= caption_of(5).height);
        std::vector<Box> boxes = layout.panels;
        for (Box& box : boxes) {
            CHECK(box.width >= 1);
            CHECK(box.height >= 1);
            box = {box.left - margin, box.top - margin, box.width + 2 * margin, box.height + 2 * margin};
        }
        boxes.push_back(layout.caption);
        for (std::size_t a = 0; a < boxes.size(); ++a) {
            CHECK(boxes[a].left >= 0);
            CHECK(boxes[a].top >= 0);
            CHECK(boxes[a].left + boxes[a].width <= layout.width);
            CHECK(boxes[a].top + boxes[a].height <= layout.height);
            for (std::size_t b = 0; b < a; ++b) {
                const bool beside = boxes[a].left >= boxes[b].left + boxes[b].width || boxes[b].left >= boxes[a].left + boxes[a].width;
                const bool above = boxes[a].top >= boxes[b].top + boxes[b].height || boxes[b].top >= boxes[a].top + boxes[a].height;
                CHECK((beside || above));
            }
        }
    }
}

TEST_CASE("preview: the scale bar has a round length") {
    const auto check = [](double pixels_per_unit, Unit unit, std::int64_t pixels, const char* text) {
        const ScaleBar bar = scale_bar(pixels_per_unit, unit);
        CHECK(bar.pixels == pixels);
        CHECK(bar.text == text);
    };
    check(2, Unit::mm, 100, "50 mm");
    check(1.5, Unit::mm, 150, "100 mm");
    check(1.4999, Unit::mm, 150, "100 mm");
    check(1.51, Unit::mm, 76, "50 mm");
    check(150, Unit::mm, 150, "1 mm");
    check(1000, Unit::mm, 100, "100 um");
    check(1e5, Unit::mm, 100, "1 um");
    check(2e8, Unit::mm, 100, "0.5 nm");
    check(0.01, Unit::mm, 100, "10000 mm");
    check(4, Unit::voxels, 80, "20 voxels");
    check(100, Unit::voxels, 100, "1 voxel");
}

TEST_CASE("preview: text is shortened in the middle and drawn as ASCII") {
    CHECK(drawable("a\tb") == "a?b");
    CHECK(drawable("h\xC3\xB6he_\xE8\x84\xB3.nii") == "h?he_?.nii");
    CHECK(shortened("short", 1000) == "short");
    const std::string cut = shortened(std::string(60, 'a') + ".nii.gz", 300);
    CHECK(text_width(cut) <= 300);
    CHECK(cut.find("...") != std::string::npos);
    CHECK(cut.ends_with(".nii.gz"));
    CHECK(shortened("long", 1) == "...");
    for (char c = ' '; c <= '~'; ++c) {  // every letter fits its place
        Canvas canvas(40, 40, {0, 0, 0});
        canvas.text(10, 10, std::string(1, c), {255, 255, 255});
        const std::int64_t drawn = std::ranges::count(canvas.picture().pixels, Colour{255, 255, 255});
        CHECK((drawn > 0) == (c != ' '));
    }
}

TEST_CASE("preview: a box that leaves the canvas is clipped") {
    Canvas canvas(4, 3, {0, 0, 0});
    canvas.fill({-2, 1, 100, 100}, {9, 9, 9});
    CHECK(std::ranges::count(canvas.picture().pixels, Colour{9, 9, 9}) == 8);
}

TEST_CASE("preview: the window leaves out one percent at each end, and is not empty for a mask with few voxels") {
    const auto projection_of = [](const std::vector<double>& values) {
        const Extent extent{std::int64_t(values.size()), 1, 1};
        Projection projection(views_of(extent, std::nullopt).list[0], extent, extent.nx, 1);
        projection.add_values(0, 0, 0, values);
        return projection;
    };
    std::vector<double> values(1001);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i * 17 % 1001);  // 0..1000, each once
    Window window = window_of({projection_of(values).values()});
    CHECK(window.low == 10);
    CHECK(window.high == 990);
    CHECK(window.part(5) == 0);
    CHECK(window.part(500) == doctest::Approx(0.5));
    CHECK(window.part(2000) == 1);
    values.assign(1001, 0);
    values[77] = 1;
    window = window_of({projection_of(values).values()});
    CHECK(window.part(0) == 0);
    CHECK(window.part(1) == 1);
    values.assign(5, Projection::no_value);
    CHECK(window_of({projection_of(values).values()}).part(Projection::no_value) == 0);
    CHECK(Window{-1e308, 1e308}.part(0) == 0.5);
}

TEST_CASE("preview: brightness ascends with the scaled value") {
    io::VolumeInfo info;
    const auto brightness = [&]<class T>(const std::vector<T>& row) {
        info.type = scalar_type_of<T>();
        std::vector<double> result(row.size());
        brightness_of(info, reinterpret_cast<const std::byte*>(row.data()), result);
        return result;
    };
    CHECK(brightness(std::vector<std::int16_t>{-5, 0, 300}) == std::vector<double>{-5, 0, 300});
    info.scaling.slope = -2;
    CHECK(brightness(std::vector<std::int16_t>{-5, 0, 300}) == std::vector<double>{5, 0, -300});
    info.scaling.slope = 1;
    CHECK(brightness(std::vector<float>{1.5f, NAN, INFINITY, -INFINITY}) ==
          std::vector<double>{1.5, Projection::no_value, Projection::no_value, Projection::no_value});
    info.channels = 4;
    CHECK(brightness(std::vector<std::uint32_t>{0xFF030201}) == std::vector<double>{6});
    CHECK(brightness(std::vector<std::uint64_t>{0xFFFF'0003'0002'0001}) == std::vector<double>{6});
}

TEST_CASE("preview: several voxels share a cell if the panel has fewer pixels than voxels") {
    const Extent extent{6, 2, 2};
    Projection p(views_of(extent, std::nullopt).list[0], extent, 3, 4);  // 3 pixels for 6 columns, 4 pixels for 2 rows
    CHECK(p.cells_wide() == 3);
    CHECK(p.cells_high() == 2);
    p.add_labels(1, 1, std::vector<std::uint64_t>{0, 7, 0, 0, 8, 9});
    p.add_labels(1, 0, std::vector<std::uint64_t>{0, 0, 0, 0, 0, 3});
    p.add_values(1, 1, 1, std::vector<double>{2, 3, 4});
    p.add_values(2, 1, 0, std::vector<double>{1, 1, 1});
    CHECK(p.nearest()[p.cell_at(0, 2)].label == 7);
    CHECK(p.nearest()[p.cell_at(0, 2)].depth == 1);
    CHECK(p.nearest()[p.cell_at(1, 3)].label == 0);
    CHECK(p.nearest()[p.cell_at(2, 3)].label == 3);  // k = 0 is nearer than 8 and 9
    CHECK(p.nearest()[p.cell_at(2, 1)].label == 0);  // the row j = 0
    CHECK(p.values()[p.cell_at(1, 2)] == 4);
    CHECK(p.values()[p.cell_at(0, 2)] == 2);
    CHECK(p.values()[p.cell_at(2, 3)] == 1);
    CHECK(p.values()[p.cell_at(1, 0)] == Projection::no_value);
}

TEST_CASE("preview: components after the eighteenth use the colours again") {
    CHECK(colour_of(1) == palette[0]);
    CHECK(colour_of(18) == palette[17]);
    CHECK(colour_of(19) == palette[0]);
    CHECK(colour_of(std::numeric_limits<std::uint64_t>::max()) == palette[(std::numeric_limits<std::uint64_t>::max() - 1) % 18]);
}

TEST_CASE("preview: a position has the decimals of its step") {
    CHECK(rounded(-12.52, 1) == "-12.5");
    CHECK(rounded(3.14159, 0.78) == "3.14");
    CHECK(rounded(41.2, 20) == "41");
    CHECK(rounded(-0.01, 1) == "0.0");
    CHECK(rounded(1e300, 1) == "1e+300");
    CHECK(rounded(0.00123456, 2e-4) == "0.00123");
}

TEST_CASE("preview: a packed picture is the picture again") {
    io::Picture picture{17, 9, {}};
    std::uint32_t state = 1;
    const auto next = [&] { return std::uint8_t((state = state * 1664525 + 1013904223) >> 24); };
    for (int i = 0; i < 17 * 9; ++i) picture.pixels.push_back({next(), next(), next()});
    const io::Picture again = PackedPicture(picture).unpacked();
    CHECK(again.width == 17);
    CHECK(again.height == 9);
    CHECK(again.pixels == picture.pixels);
}

TEST_CASE("preview: a tile of grey noise needs at most the bytes that are planned") {
    io::Picture picture{tile_width, tile_height, std::vector<Colour>(std::size_t(tile_width * tile_height), background_colour)};
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < tile_width * (tile_height - tile_caption_height); ++i) {
        const auto grey = std::uint8_t((state = state * 1664525 + 1013904223) >> 24);
        picture.pixels[std::size_t(i)] = {grey, grey, grey};
    }
    CHECK(std::int64_t(PackedPicture(picture).bytes()) <= bytes_per_tile);
}

TEST_CASE("preview: the tiles of a sheet form a square grid, or one row less") {
    for (std::size_t tiles = 1; tiles <= tiles_per_sheet; ++tiles) {
        const auto [columns, rows] = grid_of_sheet(tiles);
        CHECK(std::size_t(columns * rows) >= tiles);
        CHECK(std::size_t(columns * (rows - 1)) < tiles);
        CHECK((rows == columns || rows == columns - 1));
    }
    CHECK(grid_of_sheet(tiles_per_sheet).columns == 10);
}

TEST_CASE("preview: a sheet has one file per 100 tiles") {
    CHECK(sheet_names("a.b/sheet.png", 0) == std::vector<std::string>{"a.b/sheet.png"});
    CHECK(sheet_names("a.b/sheet.png", 100) == std::vector<std::string>{"a.b/sheet.png"});
    CHECK(sheet_names("./s.PNG", 101) == std::vector<std::string>{"./s.PNG", "./s_2.PNG"});
    CHECK(sheet_names("a.b/sheet.png", 250) == std::vector<std::string>{"a.b/sheet.png", "a.b/sheet_2.png", "a.b/sheet_3.png"});
}
