#include "src/pipeline/preview.h"

#include "io/png_writer.h"

#include <algorithm>

namespace voxcc {
namespace {

struct Projection {
    std::int64_t width, height;
    std::vector<std::uint64_t> labels;
    Projection(std::int64_t w, std::int64_t h) : width(w), height(h), labels(std::size_t(w * h)) {}
    void raise(std::int64_t x, std::int64_t y, std::uint64_t label) {
        std::uint64_t& at = labels[std::size_t(y * width + x)];
        at = std::max(at, label);
    }
};

// A bright pseudo-random colour per label. The hash is the last step of splitmix64.
std::array<std::uint8_t, 3> colour(std::uint64_t label) {
    if (label == 0) return {0, 0, 0};
    std::uint64_t h = label * 0x9e3779b97f4a7c15;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
    h = (h ^ h >> 27) * 0x94d049bb133111eb;
    h ^= h >> 31;
    return {std::uint8_t(64 + h % 192), std::uint8_t(64 + (h >> 16) % 192), std::uint8_t(64 + (h >> 32) % 192)};
}

}  // namespace

void write_preview(const Painter& painter, const Extent& e, io::OutputFile& file) {
    Projection along_z(e.nx, e.ny), along_y(e.nx, e.nz), along_x(e.ny, e.nz);
    std::vector<std::uint64_t> row(std::size_t(e.nx));
    for (std::int64_t r = 0; r < e.rows(); ++r) {
        const std::int64_t y = r % e.ny, z = r / e.ny;
        painter.paint({r, 1}, reinterpret_cast<std::byte*>(row.data()), block_runs::Stores::cached);
        std::uint64_t largest = 0;
        for (std::int64_t x = 0; x < e.nx; ++x) {
            const std::uint64_t label = row[std::size_t(x)];
            along_z.raise(x, y, label), along_y.raise(x, z, label);
            largest = std::max(largest, label);
        }
        along_x.raise(y, z, largest);
    }
    constexpr std::int64_t gap = 4;
    io::Picture picture{2 * e.nx + e.ny + 2 * gap, std::max(e.ny, e.nz), {}};
    picture.pixels.assign(std::size_t(picture.width * picture.height), {32, 32, 32});
    std::int64_t left = 0;
    for (const Projection* p : {&along_z, &along_y, &along_x}) {
        for (std::int64_t y = 0; y < p->height; ++y)
            for (std::int64_t x = 0; x < p->width; ++x)
                picture.pixels[std::size_t(y * picture.width + left + x)] = colour(p->labels[std::size_t(y * p->width + x)]);
        left += p->width + gap;
    }
    io::write_png(picture, file);
}

}  // namespace voxcc
