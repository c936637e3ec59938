// Natural shapes: white noise smoothed to a chosen scale, cut at a level that a chosen share of the voxels passes.
//
// Three box filters come within 3 % of a Gaussian and cost the same at any width. All is integer arithmetic, so the shapes are the same on
// every machine. The volume wraps around for the smoothing: no border is smoother or rougher than the inside.
#include "kernels3d/test_volumes/kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace voxcc {
namespace {

constexpr int noise_bits = 31;            // values lie within +-2^30
constexpr std::int64_t lane_block = 256;  // lines smoothed together: their running sums and copies stay in the cache

/// Odd width of a box of which three have the variance scale^2 (a box of width w has (w^2 - 1) / 12). A box wider than half an axis that
/// wraps around would leave nothing of the noise.
std::int64_t box_width(double scale, std::int64_t extent) {
    const double radius = (std::sqrt(4 * scale * scale + 1) - 1) / 2;
    const double largest = double(std::max<std::int64_t>((extent / 2 - 1) / 2, 0));
    return 2 * std::int64_t(std::min(std::round(radius), largest)) + 1;
}

/// `lanes` adjacent lines of `length` voxels, `stride` apart; smoothed in place along the line.
struct Lines {
    std::int32_t* first;
    std::int64_t lanes, length, stride;
};

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
                mean[lane] = std::int32_t(sum * reciprocal_ >> 32);  // below 2^30 * width * 2^32 / width
                sums[lane] = sum - leaves[lane];
            }
        }
    }

    std::int64_t width_, reciprocal_;
    std::vector<std::int32_t> from_, to_;
    std::vector<std::int64_t> sums_;
};

/// Smooths along the axis whose voxels are `stride` apart.
void smooth_axis(std::vector<std::int32_t>& field, std::int64_t width, std::int64_t length, std::int64_t stride) {
    if (width == 1) return;
    LineSmoother smoother(width);
    const std::int64_t voxels = std::int64_t(field.size());
    for (std::int64_t group = 0; group < voxels; group += length * stride)
        for (std::int64_t lane = 0; lane < stride; lane += lane_block)
            smoother.smooth({field.data() + group + lane, std::min(lane_block, stride - lane), length, stride});
}

/// By two rounds of counting, without a copy of the field. @param count from 1 to the number of voxels
std::int32_t count_th_largest(const std::vector<std::int32_t>& field, std::uint64_t count) {
    const auto key = [](std::int32_t v) { return std::uint32_t(v) ^ 0x80000000u; };  // in the order of the values
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

class BlobVolume : public TestVolume {
public:
    explicit BlobVolume(const TestVolumeRecipe& recipe) : extent_(recipe.extent), field_(std::size_t(extent_.voxels())) {
        const auto& [nx, ny, nz] = extent_;
        std::mt19937_64 noise(recipe.seed);
        for (std::int32_t& v : field_) v = std::int32_t(std::int64_t(noise() >> (64 - noise_bits)) - (std::int64_t{1} << (noise_bits - 1)));
        smooth_axis(field_, box_width(recipe.scale, nx), nx, 1);
        smooth_axis(field_, box_width(recipe.scale, ny), ny, nx);
        smooth_axis(field_, box_width(recipe.scale, nz), nz, nx * ny);
        const auto count = std::uint64_t(std::llround(recipe.density * double(extent_.voxels())));
        if (count > 0) level_ = count_th_largest(field_, count);
    }
    void fill_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) override {
        const std::int32_t* field = field_.data() + (z * extent_.ny + y) * extent_.nx;
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = field[x] >= level_ ? 1 : 0;
    }

private:
    Extent extent_;
    std::vector<std::int32_t> field_;
    std::int32_t level_ = std::numeric_limits<std::int32_t>::max();  // above all noise: nothing is set
};

}  // namespace

std::unique_ptr<TestVolume> make_blobs(const TestVolumeRecipe& recipe) {
    if (!(recipe.scale > 0 && recipe.scale < 1e6))
        throw Error(ExitCode::usage, "--scale", "is " + std::to_string(recipe.scale), "use a positive number of voxels");
    return std::make_unique<BlobVolume>(recipe);
}

}  // namespace voxcc
