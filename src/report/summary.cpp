#include "src/report/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace voxcc::report {
namespace {

Histogram histogram_of(std::vector<double> edges, const std::vector<double>& sizes) {
    Histogram histogram{std::move(edges), {}};
    histogram.counts.assign(histogram.edges.size() - 1, 0);
    for (const double size : sizes) {
        const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), size);
        ++histogram.counts[std::size_t(above - histogram.edges.begin()) - 1];
    }
    return histogram;
}

}  // namespace

Histogram logarithmic_histogram(const std::vector<double>& sizes) {
    if (sizes.empty()) return {};
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    double edge = std::exp2(std::floor(std::log2(std::max(*least, 1.0))));
    std::vector<double> edges{edge};
    do edges.push_back(edge *= 2);
    while (edge <= *most);
    return histogram_of(std::move(edges), sizes);
}

Histogram linear_histogram(const std::vector<double>& sizes, std::int64_t bins) {
    if (sizes.empty()) return {};
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    const double width = std::max(1.0, std::ceil((*most - *least + 1) / double(bins)));
    double edge = *least;
    std::vector<double> edges{edge};
    do edges.push_back(edge += width);
    while (edge <= *most);
    return histogram_of(std::move(edges), sizes);
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> robust_z(const std::vector<double>& values) {
    std::vector<double> scores(values.size(), 0.0);
    if (values.size() < outlier_volumes) return scores;
    const double centre = median(values);
    std::vector<double> distances;
    for (const double value : values) distances.push_back(std::abs(value - centre));
    const double mad = median(distances), mean = std::accumulate(distances.begin(), distances.end(), 0.0) / double(distances.size());
    const double divisor = mad > 0 ? mad / 0.6745 : 1.2533 * mean;
    if (!(divisor > 0)) return scores;
    for (std::size_t i = 0; i < values.size(); ++i) scores[i] = (values[i] - centre) / divisor;
    return scores;
}

}  // namespace voxcc::report
