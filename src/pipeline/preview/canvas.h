// Draws boxes and text into a picture.
#pragma once
#include "src/pipeline/preview/layout.h"
#include "src/pipeline/preview/palette.h"

#include <string>

namespace voxcc::preview {

constexpr Colour text_colour{235, 235, 235};

constexpr std::int64_t letter_height = 14;  // pixels of a capital letter

/// Replaces each character that the font does not have by '?'. Characters of several bytes (UTF-8) become one '?'.
std::string drawable(const std::string& text);

/// The width of a drawable text, in pixels.
std::int64_t text_width(const std::string& text);

/// Shortens a drawable text to a width, in pixels: replaces its middle by "...".
std::string shortened(const std::string& text, std::int64_t width);

class Canvas {
public:
    Canvas(std::int64_t width, std::int64_t height, const Colour& colour)
        : picture_{width, height, std::vector<Colour>(std::size_t(width * height), colour)} {}
    void set(std::int64_t x, std::int64_t y, const Colour& colour) { picture_.pixels[std::size_t(y * picture_.width + x)] = colour; }
    /// Fills the part of the box that lies on the canvas.
    void fill(const Box& box, const Colour& colour);
    /// Draws one line. @param left, top of the first letter @param text must be drawable
    void text(std::int64_t left, std::int64_t top, const std::string& text, const Colour& colour);
    /// The same, with a black edge of two pixels around the letters.
    void text_with_edge(std::int64_t left, std::int64_t top, const std::string& text, const Colour& colour);
    /// Draws a picture, which must fit on the canvas. @param left, top of its first pixel
    void draw(std::int64_t left, std::int64_t top, const io::Picture& picture);
    const io::Picture& picture() const { return picture_; }

private:
    io::Picture picture_;
};

}  // namespace voxcc::preview
