#include "kernels3d/levels/histogram_levels.h"

#include <algorithm>
#include <vector>

namespace voxcc {

std::size_t otsu_bin(Counts counts) {
    double all = 0, sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) all += double(counts[i]), sum += double(counts[i]) * double(i);
    double below = 0, sum_below = 0, best = -1;
    std::size_t level = 0;
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
        below += double(counts[i]), sum_below += double(counts[i]) * double(i);
        const double above = all - below;
        if (below == 0 || above == 0) continue;
        const double difference = sum_below / below - (sum - sum_below) / above;
        const double between = below * above * difference * difference;
        if (between > best) best = between, level = i;
    }
    return level;
}

std::size_t triangle_bin(Counts counts) {
    const std::size_t n = counts.size(), peak = std::size_t(std::ranges::max_element(counts) - counts.begin());
    const bool mirrored = peak < n - 1 - peak;  // the upper tail is longer
    const auto at = [&](std::size_t i) { return counts[mirrored ? n - 1 - i : i]; };
    const std::size_t width = mirrored ? n - 1 - peak : peak;
    const double norm = std::sqrt(double(counts[peak] * counts[peak] + width * width));
    const double height_part = double(counts[peak]) / norm, width_part = double(width) / norm;
    std::size_t farthest = 0;
    double most = -1;
    for (std::size_t i = 0; i < width; ++i) {
        const double length = height_part * double(i) - width_part * double(at(i));
        if (i == 0 || length > most) most = length, farthest = i;
    }
    return mirrored ? n - 1 - farthest : farthest;
}

namespace {

/// The sum of float32 values in numpy's order (pairwise summation).
float pairwise_sum(std::span<const float> v) {
    constexpr std::size_t most = 128, lanes = 8;
    if (v.size() > most) {
        const std::size_t half = v.size() / 2 / lanes * lanes;
        return pairwise_sum(v.first(half)) + pairwise_sum(v.subspan(half));
    }
    std::size_t i = 0;
    float sum = 0;
    if (v.size() >= lanes) {
        float r[lanes] = {};
        for (; i + lanes <= v.size(); i += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane) r[lane] += v[i + lane];
        sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < v.size(); ++i) sum += v[i];
    return sum;
}

}  // namespace

std::size_t yen_bin(Counts counts) {
    const std::size_t n = counts.size();
    std::vector<float> part(n), squares_from(n + 1);  // squares_from[i]: the sum of the squares of part[i..n)
    std::ranges::transform(counts, part.begin(), [](std::uint64_t count) { return float(count); });
    const float all = pairwise_sum(part);
    for (float& p : part) p /= all;
    for (std::size_t i = n; i-- > 0;) squares_from[i] = squares_from[i + 1] + part[i] * part[i];
    float below = 0, squares_below = 0, most = 0;
    std::size_t level = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        below += part[i], squares_below += part[i] * part[i];
        const float classes = below * (1.0f - below);
        const float criterion = float(std::log(double(1.0f / (squares_below * squares_from[i + 1]) * (classes * classes))));
        if (std::isnan(criterion)) return i;  // as numpy.argmax
        if (i == 0 || criterion > most) most = criterion, level = i;
    }
    return level;
}

double li_position(Counts counts) {
    std::uint64_t voxels = 0;
    unsigned __int128 sum = 0;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) voxels += counts[bin], sum += static_cast<unsigned __int128>(counts[bin]) * bin;
    const auto each = [&](auto&& f) {
        for (std::size_t bin = 0; bin < counts.size(); ++bin) f(double(bin), double(float(counts[bin])));  // float32 as in scikit-image
    };
    return li_iteration(each, double(sum) / double(voxels), 0.5);
}

}  // namespace voxcc
