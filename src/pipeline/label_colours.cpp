#include "src/pipeline/label_colours.h"

#include "src/errors/program_error.h"
#include "src/pipeline/preview/palette.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace voxcc {
namespace {

constexpr std::size_t part_bytes = 1 << 16;

/// A channel of a colour between 0 and 1, with three decimals.
// 230 -> "0.902"
std::string fraction(std::uint8_t channel) {
    const std::string thousandths = std::to_string((int(channel) * 1000 + 127) / 255 + 1000);
    return std::string(1, char(thousandths[0] - 1)) + "." + thousandths.substr(1);
}

/// The lines of a list before label 1.
std::string head_of(ColourList list) {
    switch (list) {
        case ColourList::itk_snap:
            return "################################################\n"
                   "# ITK-SnAP Label Description File\n"
                   "# File format:\n"
                   "# IDX   -R-  -G-  -B-  -A--  VIS MSH  LABEL\n"
                   "################################################\n"
                   "0 0 0 0 0 0 0 \"Clear Label\"\n";
        case ColourList::fsleyes: return "";  // FSLeyes never draws label 0
        case ColourList::slicer: return "# Colour table of 3D Slicer\n0 Background 0 0 0 0\n";
        case ColourList::napari: return "{\n\"0\": [0, 0, 0, 0]";
    }
    return "";
}

std::string line_of(ColourList list, std::uint64_t label) {
    const std::string number = std::to_string(label);
    const preview::Colour colour = preview::colour_of(label);
    const auto channels = [&](const char* separator, const auto& text_of) {
        return text_of(colour[0]) + separator + text_of(colour[1]) + separator + text_of(colour[2]);
    };
    const auto whole = [](std::uint8_t channel) { return std::to_string(channel); };
    switch (list) {
        case ColourList::itk_snap: return number + " " + channels(" ", whole) + " 1 1 1 \"component " + number + "\"\n";
        case ColourList::fsleyes: return number + " " + channels(" ", fraction) + " component " + number + "\n";
        case ColourList::slicer: return number + " component_" + number + " " + channels(" ", whole) + " 255\n";
        case ColourList::napari: return ",\n\"" + number + "\": [" + channels(", ", fraction) + ", 1]";
    }
    return "";
}

}  // namespace

std::vector<io::Colour> label_palette() { return {preview::palette.begin(), preview::palette.end()}; }

std::vector<io::Colour> colour_table() {
    std::vector<io::Colour> colours{{0, 0, 0}};
    for (std::uint64_t label = 1; label <= 255; ++label) colours.push_back(preview::colour_of(label));
    return colours;
}

ColourList colour_list(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    if (extension == ".txt") return ColourList::itk_snap;
    if (extension == ".lut") return ColourList::fsleyes;
    if (extension == ".ctbl") return ColourList::slicer;
    if (extension == ".json") return ColourList::napari;
    throw ProgramError(ErrorKind::invalid_argument, "--lut", "'" + path + "' does not end in .txt, .lut, .ctbl or .json",
                       "use .txt for ITK-SNAP, .lut for FSLeyes, .ctbl for 3D Slicer, or .json for napari");
}

void write_colours(const std::string& path, std::uint64_t labels, io::OutputFiles& outputs) {
    const ColourList list = colour_list(path);
    io::OutputFile& file = outputs.create(path);
    std::string part = head_of(list);
    for (std::uint64_t label = 1; label <= labels; ++label) {
        part += line_of(list, label);
        if (part.size() < part_bytes) continue;
        file.write(part);
        part.clear();
    }
    if (list == ColourList::napari) part += "\n}\n";
    file.write(part);
    file.close();
}

}  // namespace voxcc
