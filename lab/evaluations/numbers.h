// Statistics of measurements.
#pragma once
#include <span>

namespace voxcc::bench {

struct Summary {
    double median = 0, min = 0, max = 0, mean = 0;
    double deviation = 0;  // standard deviation of the population
};
/// Summarises values. The median of an even number of values is the mean of the middle two.
/// @param values at least one, in any order
// values = [4, 1, 2]  ->  median 2, min 1, max 4, mean 2.33
Summary summary_of(std::span<const double> values);

/// f(x) = a + b x^c. Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, equation 18.
struct PowerLaw {
    double a = 0, b = 0, c = 1;
    double rms = 0;  // root mean square of the errors f(x) - y

    double operator()(double x) const;
};
/// The least-squares fit with c in [0.05, 4], to five digits.
/// @param x positive, at least three different values
/// @param y one value per value of x
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y);

}  // namespace voxcc::bench
