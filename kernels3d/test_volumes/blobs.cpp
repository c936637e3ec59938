// Test volumes of natural shapes: white noise, smoothed at a chosen scale, with a threshold that a chosen share of the voxels reaches.
//
// Three box filters approximate a Gaussian within 3 %, and take the same time for every width. All arithmetic uses integers, so that the
// shapes are identical on every machine. The smoothing treats the volume as periodic, so that borders are as smooth as the inside. A volume
// can therefore repeat a small one (TestVolumeRecipe::tile) without visible joints.
#include "kernels3d/test_volumes/kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace voxcc {
namespace {

constexpr int noise_bits = 31;            // noise values are in [-2^30, 2^30)
constexpr std::int64_t lane_block = 256;  // lines that are smoothed together; their running sums and copies stay in the cache

/// The odd width of a box filter, in voxels, such that three passes have the variance scale^2. A box of width w has (w^2 - 1) / 12. The
/// width is limited to half of the extent, because wider boxes on a periodic axis would remove the noise.
/// @param scale standard deviation of the smoothing, in voxels
std::int64_t box_width(double scale, std::int64_t extent) {
    const double radius = (std::sqrt(4 * scale * scale + 1) - 1) / 2;
    const double largest = double(std::max<std::int64_t>((extent / 2 - 1) / 2, 0));
    return 2 * std::int64_t(std::min(std::round(radius), largest)) + 1;
}

/// A group of `lanes` adjacent lines along an axis. Each line has `length` voxels, which are `stride` elements apart.
struct Lines {
    std::int32_t* first;
    std::int64_t lanes, length, stride;
};

/// Applies three box filters to lines, in place.
class LineSmoother {
public:
    explicit LineSmoother(std::int64_t width) : width_(width), reciprocal_((std::int64_t{1} << 32) / width) {}

    void smooth(const Lines& lines) {
        const std::size_t size = std::size_t(lines.lanes * lines.length);
        from_.resize(size);
        to_.resize(size);
        for (std::int64_t i = 0; i < lines.length; ++i)
            std::copy_n(lines.first + i * lines.stride, lines.lanes, from_.data() + i * lines.lanes);
        for (int pass = 0; pass < 3; ++pass) {
            box(lines.lanes, lines.length);
            std::swap(from_, to_);
        }
        for (std::int64_t i = 0; i < lines.length; ++i)
            std::copy_n(from_.data() + i * lines.lanes, lines.lanes, lines.first + i * lines.stride);
    }

private:
    /// One box filter from from_ to to_, with running sums.
    void box(std::int64_t lanes, std::int64_t length) {
        const std::int64_t radius = width_ / 2;
        const auto row = [&](std::int64_t i) { return from_.data() + (i < 0 ? i + length : i >= length ? i - length : i) * lanes; };
        sums_.assign(std::size_t(lanes), 0);
        for (std::int64_t i = -radius; i < radius; ++i)
            for (std::int64_t lane = 0; lane < lanes; ++lane) sums_[std::size_t(lane)] += row(i)[lane];
        for (std::int64_t i = 0; i < length; ++i) {
            const std::int32_t *enters = row(i + radius), *leaves = row(i - radius);
            std::int32_t* mean = to_.data() + i * lanes;
            std::int64_t* sums = sums_.data();
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                const std::int64_t sum = sums[lane] + enters[lane];
                mean[lane] = std::int32_t(sum * reciprocal_ >> 32);  // |product| <= 2^30 * width * 2^32 / width
                sums[lane] = sum - leaves[lane];
            }
        }
    }

    std::int64_t width_, reciprocal_;
    std::vector<std::int32_t> from_, to_;
    std::vector<std::int64_t> sums_;
};

/// Smooths a field along the axis with `length` voxels that are `stride` elements apart.
void smooth_axis(std::vector<std::int32_t>& field, std::int64_t width, std::int64_t length, std::int64_t stride) {
    if (width == 1) return;
    LineSmoother smoother(width);
    const std::int64_t voxels = std::int64_t(field.size());
    for (std::int64_t group = 0; group < voxels; group += length * stride)
        for (std::int64_t lane = 0; lane < stride; lane += lane_block)
            smoother.smooth({field.data() + group + lane, std::min(lane_block, stride - lane), length, stride});
}

/// The value at position `count` in descending order. Two histograms find it without a copy of the field.
/// @param count [1, number of voxels]
std::int32_t count_th_largest(const std::vector<std::int32_t>& field, std::uint64_t count) {
    const auto key = [](std::int32_t v) { return std::uint32_t(v) ^ 0x80000000u; };  // same order as the values
    const auto bin_of = [](const std::vector<std::uint64_t>& histogram, std::uint64_t& wanted) {
        std::size_t bin = histogram.size() - 1;
        for (; histogram[bin] < wanted; --bin) wanted -= histogram[bin];
        return std::uint32_t(bin);
    };
    std::vector<std::uint64_t> histogram(65536);
    for (const std::int32_t v : field) ++histogram[key(v) >> 16];
    const std::uint32_t high = bin_of(histogram, count);
    histogram.assign(65536, 0);
    for (const std::int32_t v : field)
        if (key(v) >> 16 == high) ++histogram[key(v) & 0xffff];
    const std::uint32_t low = bin_of(histogram, count);
    return std::int32_t((high << 16 | low) ^ 0x80000000u);
}

/// The extent of the noise, which is repeated along each axis.
Extent period_of(const TestVolumeRecipe& recipe) {
    const auto shorter = [&](std::int64_t extent) { return recipe.tile > 0 ? std::min(extent, recipe.tile) : extent; };
    return {shorter(recipe.extent.nx), shorter(recipe.extent.ny), shorter(recipe.extent.nz)};
}

class BlobVolume : public TestVolume {
public:
    explicit BlobVolume(const TestVolumeRecipe& recipe) : extent_(period_of(recipe)), field_(std::size_t(extent_.voxels())) {
        const auto& [nx, ny, nz] = extent_;
        std::mt19937_64 noise(recipe.seed);
        for (std::int32_t& v : field_) v = std::int32_t(std::int64_t(noise() >> (64 - noise_bits)) - (std::int64_t{1} << (noise_bits - 1)));
        smooth_axis(field_, box_width(recipe.scale, nx), nx, 1);
        smooth_axis(field_, box_width(recipe.scale, ny), ny, nx);
        smooth_axis(field_, box_width(recipe.scale, nz), nz, nx * ny);
        const auto count = std::uint64_t(std::llround(recipe.density * double(extent_.voxels())));
        if (count > 0) level_ = count_th_largest(field_, count);
    }
    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        const std::int32_t* const field = field_.data() + (z % extent_.nz * extent_.ny + y % extent_.ny) * extent_.nx;
        x %= extent_.nx;
        while (!part.empty()) {
            const std::size_t count = std::min(std::size_t(extent_.nx - x), part.size());
            for (std::size_t i = 0; i < count; ++i) part[i] = field[x + std::int64_t(i)] >= level_ ? 1 : 0;
            part = part.subspan(count);
            x = 0;
        }
    }

private:
    Extent extent_;  // of the field
    std::vector<std::int32_t> field_;
    std::int32_t level_ = std::numeric_limits<std::int32_t>::max();  // greater than all noise: no voxel is foreground
};

}  // namespace

std::int64_t blob_bytes(const TestVolumeRecipe& recipe) { return 4 * period_of(recipe).voxels(); }

std::unique_ptr<TestVolume> make_blobs(const TestVolumeRecipe& recipe) { return std::make_unique<BlobVolume>(recipe); }

}  // namespace voxcc
