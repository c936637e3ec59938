#include "src/pipeline/preview/canvas.h"

#include <algorithm>
#include <cstring>

// The font: ASCII letters as boxes. It needs no font file and no further library, so that the pictures are the same on each machine.
#include <stb_easy_font.h>

namespace voxcc::preview {
namespace {

constexpr std::int64_t font_scale = 2;  // pixels per unit of the font

struct Vertex {  // as stb_easy_font_print() writes it; a box has four
    float x, y, z;
    std::array<unsigned char, 4> colour;
};

}  // namespace

std::string drawable(const std::string& text) {
    std::string result;
    for (const unsigned char c : text) {
        const bool continues = (c & 0xC0) == 0x80;  // a later byte of a character in UTF-8
        if (!continues) result += c >= 32 && c < 127 ? char(c) : '?';
    }
    return result;
}

std::int64_t text_width(const std::string& text) { return font_scale * stb_easy_font_width(const_cast<char*>(text.c_str())); }

std::string shortened(const std::string& text, std::int64_t width) {
    if (text_width(text) <= width) return text;
    std::size_t kept = text.size();
    const auto with_gap = [&] { return text.substr(0, (kept + 1) / 2) + "..." + text.substr(text.size() - kept / 2); };
    while (kept > 0 && text_width(with_gap()) > width) --kept;
    return with_gap();
}

void Canvas::fill(const Box& box, const Colour& colour) {
    for (std::int64_t y = std::max<std::int64_t>(0, box.top); y < std::min(box.top + box.height, picture_.height); ++y)
        for (std::int64_t x = std::max<std::int64_t>(0, box.left); x < std::min(box.left + box.width, picture_.width); ++x)
            set(x, y, colour);
}

void Canvas::draw(std::int64_t left, std::int64_t top, const io::Picture& picture) {
    for (std::int64_t y = 0; y < picture.height; ++y)
        std::copy_n(picture.pixels.begin() + y * picture.width, picture.width, picture_.pixels.begin() + (top + y) * picture_.width + left);
}

void Canvas::text(std::int64_t left, std::int64_t top, const std::string& text, const Colour& colour) {
    constexpr std::size_t most_boxes_per_letter = 20, corners = 4;
    std::vector<Vertex> vertices(text.size() * most_boxes_per_letter * corners);
    const int boxes =
        stb_easy_font_print(0, 0, const_cast<char*>(text.c_str()), nullptr, vertices.data(), int(vertices.size() * sizeof(Vertex)));
    for (std::size_t i = 0; i < std::size_t(boxes); ++i) {
        const Vertex &from = vertices[i * corners], &to = vertices[i * corners + 2];
        const auto pixels = [](float units) { return font_scale * std::int64_t(units); };
        fill({left + pixels(from.x), top + pixels(from.y), pixels(to.x) - pixels(from.x), pixels(to.y) - pixels(from.y)}, colour);
    }
}

void Canvas::text_with_edge(std::int64_t left, std::int64_t top, const std::string& text, const Colour& colour) {
    constexpr std::int64_t edge = 2;
    for (const std::int64_t y : {-edge, std::int64_t(0), edge})
        for (const std::int64_t x : {-edge, std::int64_t(0), edge}) this->text(left + x, top + y, text, {0, 0, 0});
    this->text(left, top, text, colour);
}

}  // namespace voxcc::preview
