#include "src/pipeline/preview/packed_picture.h"

#include <voxcc/error.h>

#include <zlib.h>
#include <new>

namespace voxcc::preview {
namespace {

/// The green values of all pixels, then the differences of red and blue to green. Grey pixels have the differences 0, which need almost no
/// bytes after compression.
std::vector<std::uint8_t> planes_of(const io::Picture& picture) {
    std::vector<std::uint8_t> planes;
    planes.reserve(3 * picture.pixels.size());
    for (const auto& [red, green, blue] : picture.pixels) planes.push_back(green);
    for (const auto& [red, green, blue] : picture.pixels) planes.push_back(std::uint8_t(red - green));
    for (const auto& [red, green, blue] : picture.pixels) planes.push_back(std::uint8_t(blue - green));
    return planes;
}

void require_success(int result) {
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK) throw Error(ErrorKind::internal, "zlib", "could not compress a picture");
}

}  // namespace

PackedPicture::PackedPicture(const io::Picture& picture) : width_(picture.width), height_(picture.height) {
    const std::vector<std::uint8_t> planes = planes_of(picture);
    uLongf size = compressBound(uLong(planes.size()));
    std::vector<std::uint8_t> packed(size);
    constexpr int fastest = 1;
    require_success(compress2(packed.data(), &size, planes.data(), uLong(planes.size()), fastest));
    bytes_.assign(packed.begin(), packed.begin() + std::ptrdiff_t(size));
}

io::Picture PackedPicture::unpacked() const {
    io::Picture picture{width_, height_, std::vector<io::Pixel>(std::size_t(width_ * height_))};
    const std::size_t pixels = picture.pixels.size();
    std::vector<std::uint8_t> planes(3 * pixels);
    uLongf size = uLong(planes.size());
    require_success(uncompress(planes.data(), &size, bytes_.data(), uLong(bytes_.size())));
    for (std::size_t i = 0; i < pixels; ++i) {
        const std::uint8_t green = planes[i];
        picture.pixels[i] = {std::uint8_t(green + planes[pixels + i]), green, std::uint8_t(green + planes[2 * pixels + i])};
    }
    return picture;
}

}  // namespace voxcc::preview
