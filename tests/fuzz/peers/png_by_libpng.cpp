// A picture that voxcc writes as PNG must have the same pixels for libpng.
#include "io/png_writer.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <png.h>
#include <cstring>

namespace voxcc::fuzz {
namespace {

std::vector<std::array<std::uint8_t, 3>> read_by_libpng(const std::string& path, const io::Picture& written) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) fault("libpng does not read the picture");
    if (image.width != written.width || image.height != written.height) fault("libpng reads a picture of another size");
    image.format = PNG_FORMAT_RGB;
    std::vector<std::array<std::uint8_t, 3>> pixels(written.pixels.size());
    if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) fault("libpng does not read the pixels");
    return pixels;
}

/// The first bytes are the width and the number of repetitions of the other bytes, which are pixels.
void run(Input input) {
    if (input.size() < 5) return;
    io::Picture picture{1 + input[0], 1, {}};
    const Input colours = input.subspan(2);
    const std::size_t count = std::max<std::size_t>(std::size_t(picture.width), colours.size() / 3 * (1 + input[1] % 64u));
    picture.height = std::int64_t(count) / picture.width;
    picture.pixels.resize(std::size_t(picture.width * picture.height));
    for (std::size_t i = 0; i < picture.pixels.size(); ++i)
        for (std::size_t channel = 0; channel < 3; ++channel) picture.pixels[i][channel] = colours[(3 * i + channel) % colours.size()];
    const std::string path = scratch("x.png");
    accepts([&] {
        io::OutputFiles outputs(io::Overwrite::allow, {});
        io::write_png(picture, outputs.create(path));
        outputs.publish();
        if (read_by_libpng(path, picture) != picture.pixels) fault("libpng reads other pixels");
    });
}

const Registered png_by_libpng({.name = "png_by_libpng", .run = run, .longest = 1024, .seeds = "writers"});

}  // namespace
}  // namespace voxcc::fuzz
