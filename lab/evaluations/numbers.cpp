// Computes statistics of measurements and fits power laws.
#include "lab/evaluations/numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace voxcc::bench {
namespace {

double mean_of(std::span<const double> v) { return std::accumulate(v.begin(), v.end(), 0.0) / double(v.size()); }

/// The least-squares a and b for a given c: a straight line over x^c.
PowerLaw line_over(std::span<const double> x, std::span<const double> y, double c) {
    std::vector<double> u(x.size());
    std::transform(x.begin(), x.end(), u.begin(), [c](double v) { return std::pow(v, c); });
    const double mean_u = mean_of(u), mean_y = mean_of(y);
    double uu = 0, uy = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        uu += (u[i] - mean_u) * (u[i] - mean_u);
        uy += (u[i] - mean_u) * (y[i] - mean_y);
    }
    PowerLaw f{.a = mean_y - uy / uu * mean_u, .b = uy / uu, .c = c};
    double squares = 0;
    for (std::size_t i = 0; i < u.size(); ++i) squares += (f.a + f.b * u[i] - y[i]) * (f.a + f.b * u[i] - y[i]);
    f.rms = std::sqrt(squares / double(u.size()));
    return f;
}

}  // namespace

Summary summary_of(std::span<const double> values) {
    std::vector<double> v(values.begin(), values.end());
    std::sort(v.begin(), v.end());
    const double mean = mean_of(v);
    double squares = 0;
    for (const double value : v) squares += (value - mean) * (value - mean);
    const std::size_t middle = v.size() / 2;
    return {.median = v.size() % 2 ? v[middle] : (v[middle - 1] + v[middle]) / 2,
            .min = v.front(),
            .max = v.back(),
            .mean = mean,
            .deviation = std::sqrt(squares / double(v.size()))};
}

double PowerLaw::operator()(double x) const { return a + b * std::pow(x, c); }

// x is divided by its greatest value, which keeps the powers near 1. A scan over c with a fixed step finds the neighbourhood of the
// smallest error. A ternary search then finds the minimum there.
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y) {
    const double greatest = *std::max_element(x.begin(), x.end());
    std::vector<double> relative(x.size());
    std::transform(x.begin(), x.end(), relative.begin(), [greatest](double v) { return v / greatest; });
    constexpr double step = 0.05, largest = 4;
    PowerLaw best = line_over(relative, y, step);
    for (int i = 2; i * step <= largest; ++i)
        if (const PowerLaw f = line_over(relative, y, i * step); f.rms < best.rms) best = f;
    double low = std::max(step, best.c - step), high = std::min(largest, best.c + step);
    while (high - low > 1e-9) {
        const double third = (high - low) / 3;
        if (line_over(relative, y, low + third).rms < line_over(relative, y, high - third).rms) high -= third;
        else low += third;
    }
    best = line_over(relative, y, (low + high) / 2);
    best.b /= std::pow(greatest, best.c);
    return best;
}

}  // namespace voxcc::bench
