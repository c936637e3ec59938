#include "io/formats/jpeg2000/channels.h"

#include <algorithm>
#include <numeric>

namespace voxcc::io {
namespace {

constexpr std::uint32_t sycc = 18;
constexpr std::size_t colours_of_pixel = 3;

/// The colour spaces of parts 1 and 2 of the standard whose components are read as they are stored.
constexpr bool is_stored_as_colours(std::uint32_t space) {
    constexpr std::uint32_t black_and_white = 0, cmy = 11, cmyk = 12, white_and_black = 15, srgb = 16, grey = 17, esrgb = 20, romm_rgb = 21;
    constexpr std::array all{black_and_white, cmy, cmyk, white_and_black, srgb, grey, esrgb, romm_rgb};
    return std::ranges::find(all, space) != all.end();
}

std::string name_of_space(std::uint32_t space) {
    switch (space) {
        case 1:
        case 3:
        case 4: return "YCbCr";
        case 9: return "PhotoYCC";
        case 13: return "YCCK";
        case 14: return "CIELab";
        case 19: return "CIEJab";
        case 22:
        case 23: return "YPbPr";
        case 24: return "e-sYCC";
        default: return "of the colour space " + std::to_string(space);
    }
}

struct Order {
    std::vector<std::size_t> components;
    std::size_t colours = 0;  // the first of `components`
};

Order order_of(const Jp2Header& header, std::size_t components) {
    Order order{std::vector<std::size_t>(components), components};
    std::iota(order.components.begin(), order.components.end(), std::size_t{0});
    if (header.channels.empty()) return order;
    constexpr int last = 65536;  // after all colours
    std::vector<int> numbers(components, last);
    for (const ChannelDefinition& definition : header.channels)
        if (definition.is_colour()) numbers[definition.channel] = definition.association;
    std::ranges::stable_sort(order.components, {}, [&](std::size_t component) { return numbers[component]; });
    order.colours = std::size_t(std::ranges::count_if(numbers, [](int number) { return number != last; }));
    return order;
}

void require_same_samples(const InputFile& file, const std::vector<std::size_t>& components, const Codestream& codestream) {
    const Jpeg2000Samples& first = codestream.components[components[0]];
    for (std::size_t channel = 0; channel < colours_of_pixel; ++channel)
        if (codestream.components[components[channel]] != first || first.is_signed)
            throw Error(ErrorKind::unsupported_file, file.path(),
                        "its colours are sYCC with signed or different components; convert it to RGB with the program that wrote it");
}

}  // namespace

Channels channels_of(const InputFile& file, const Jp2Header& header, const Codestream& codestream) {
    if (header.has_palette) return {order_of({}, codestream.components.size()).components};
    const Order order = order_of(header, codestream.components.size());
    Channels channels{order.components};
    if (!header.colour_space || order.colours < colours_of_pixel || is_stored_as_colours(*header.colour_space)) return channels;
    if (*header.colour_space != sycc)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "its colours are " + name_of_space(*header.colour_space) + "; convert it to RGB with the program that wrote it");
    require_same_samples(file, channels.components, codestream);
    channels.model = ColourModel::sycc;
    return channels;
}

int rgb_of_sycc(const std::array<int, 3>& ycc, std::size_t colour, int bits) {
    const int most = (1 << bits) - 1, middle = 1 << (bits - 1);
    const double cb = ycc[1] - middle, cr = ycc[2] - middle;
    const std::array added{int(1.402 * cr), -int(0.344 * cb + 0.714 * cr), int(1.772 * cb)};
    return std::clamp(ycc[0] + added[colour], 0, most);
}

}  // namespace voxcc::io
