// Test volumes like a picture of dry earth: plates, separated by cracks.
//
// After Shibata, "Connected Component Labeling Algorithm for GPGPU", 2014, figure 12, which is a photograph. Here the plates are the cells
// of a Voronoi diagram: each pixel belongs to the nearest of a set of sites. Each square of 32 x 32 pixels contains one site, at a random
// position. A pixel is background, which is a crack, if one of its four later neighbours (of 8) belongs to another site. Two neighbours in
// the foreground therefore have the same site. All arithmetic uses integers, so that the image is identical on every machine.
#include "kernels3d/test_volumes/kinds.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace voxcc {
namespace {

constexpr int plate_bits = 5;
constexpr std::int64_t plate = std::int64_t{1} << plate_bits;  // edge of the square of a site, in pixels

/// The sites, and the pixels that belong to them.
class Sites {
public:
    Sites(const Extent& e, std::uint64_t seed) : across_((e.nx + plate - 1) / plate), down_((e.ny + plate - 1) / plate) {
        std::mt19937_64 draw(seed);
        for (std::int64_t j = 0; j < down_; ++j)
            for (std::int64_t i = 0; i < across_; ++i) {
                const std::uint64_t bits = draw();
                sites_.push_back({i * plate + std::int64_t(bits % plate), j * plate + std::int64_t((bits >> plate_bits) % plate)});
            }
    }
    /// The index of the site nearest to a pixel; of several, the first. The site of the pixel's own square is at most plate * sqrt(2) away,
    /// so that sites more than two squares away are not nearest.
    std::int64_t nearest(std::int64_t x, std::int64_t y) const {
        const std::int64_t i = x / plate, j = y / plate;
        std::int64_t best = -1, shortest = 0;
        for (std::int64_t sj = std::max<std::int64_t>(j - 2, 0); sj <= std::min(j + 2, down_ - 1); ++sj)
            for (std::int64_t si = std::max<std::int64_t>(i - 2, 0); si <= std::min(i + 2, across_ - 1); ++si) {
                const std::int64_t index = sj * across_ + si;
                const auto& [site_x, site_y] = sites_[std::size_t(index)];
                const std::int64_t distance = (x - site_x) * (x - site_x) + (y - site_y) * (y - site_y);
                if (best < 0 || distance < shortest) best = index, shortest = distance;
            }
        return best;
    }

private:
    struct Site {
        std::int64_t x, y;
    };
    std::int64_t across_, down_;  // numbers of squares
    std::vector<Site> sites_;     // [square]
};

class DryEarth : public TestVolume {
public:
    DryEarth(const Extent& e, std::uint64_t seed) : nx_(e.nx), image_(std::size_t(e.nx * e.ny)) {
        const Sites sites(e, seed);
        std::vector<std::int64_t> here(std::size_t(e.nx)), below(std::size_t(e.nx));  // sites of the pixels of two rows
        const auto fill = [&](std::vector<std::int64_t>& row, std::int64_t y) {
            for (std::int64_t x = 0; x < e.nx; ++x) row[std::size_t(x)] = sites.nearest(x, y);
        };
        fill(below, 0);
        for (std::int64_t y = 0; y < e.ny; ++y) {
            std::swap(here, below);
            fill(below, y + 1);  // also for the last row: sites belong to pixels outside the image, too
            for (std::int64_t x = 0; x < e.nx; ++x) {
                const std::size_t at = std::size_t(x), left = std::size_t(std::max<std::int64_t>(x - 1, 0)),
                                  right = std::size_t(std::min(x + 1, e.nx - 1));
                const std::int64_t site = here[at];
                const bool crack = here[right] != site || below[left] != site || below[at] != site || below[right] != site;
                image_[std::size_t(y * e.nx + x)] = crack ? 0 : 1;
            }
        }
    }
    void fill(std::int64_t x, std::int64_t y, std::int64_t, std::span<std::uint8_t> part) override {
        std::copy_n(image_.begin() + y * nx_ + x, part.size(), part.begin());
    }

private:
    std::int64_t nx_;
    std::vector<std::uint8_t> image_;  // [y][x], the same for all slices
};

}  // namespace

std::unique_ptr<TestVolume> make_dry_earth(const TestVolumeRecipe& recipe) {
    return std::make_unique<DryEarth>(recipe.extent, recipe.seed);
}

}  // namespace voxcc
